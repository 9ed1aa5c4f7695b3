/* Makes the n-th system call on files below one folder fail, as a disk or a network file system would.

   Loaded before the C library (LD_PRELOAD), so what Arrow and DuckDB write is met as well as what Python writes. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static char root[PATH_MAX];
static long countdown; /* 0: not armed */
static int lasting;    /* whether all calls after the n-th fail too */
static int fired;

void shim_arm(const char *folder, long n, int stays)
{
    strncpy(root, folder, sizeof root - 1);
    fired = 0;
    lasting = stays;
    countdown = n;
}

int shim_fired(void) { return fired; }

static int fails(int ours, int with)
{
    if (!ours || !root[0])
        return 0;
    if (!(fired && lasting) && __sync_sub_and_fetch(&countdown, 1) != 0)
        return 0;
    fired = 1;
    errno = with;
    return 1;
}

static int below(const char *path) { return root[0] && !strncmp(path, root, strlen(root)); }

static int file_below(int handle)
{
    char name[64], path[PATH_MAX];
    if (!root[0])
        return 0;
    snprintf(name, sizeof name, "/proc/self/fd/%d", handle);
    ssize_t size = readlink(name, path, sizeof path - 1);
    path[size < 0 ? 0 : size] = 0;
    return below(path);
}

#define NEXT(name) __typeof__(&name) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

#define OPEN(name) \
    int name(const char *path, int flags, ...) \
    { \
        NEXT(name); \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = va_arg(rest, mode_t); \
        va_end(rest); \
        return fails(below(path), flags & O_CREAT ? ENOSPC : EIO) ? -1 : next(path, flags, mode); \
    }
OPEN(open)
OPEN(open64)

#define ON_FILE(kind, name, with, parameters, arguments) \
    kind name parameters \
    { \
        NEXT(name); \
        return fails(file_below(handle), with) ? -1 : next arguments; \
    }
ON_FILE(ssize_t, read, EIO, (int handle, void *data, size_t size), (handle, data, size))

ssize_t write(int handle, const void *data, size_t size)
{
    static int last, times; /* of many writes to one file in a row: the 1st, 2nd, 4th, 8th, ... */
    NEXT(write);
    int ours = file_below(handle);
    times = ours && handle == last ? times + 1 : 1;
    if (ours)
        last = handle;
    ours = ours && ((times & (times - 1)) == 0 || (fired && lasting));
    return fails(ours, ENOSPC) ? -1 : next(handle, data, size);
}

ON_FILE(int, fsync, EIO, (int handle), (handle))
ON_FILE(int, ftruncate, EIO, (int handle, off_t size), (handle, size))

int rename(const char *from, const char *to)
{
    NEXT(rename);
    return fails(below(from), EIO) ? -1 : next(from, to);
}
