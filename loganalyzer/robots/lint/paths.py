"""Checks of single paths: what matches nothing, too much, too little, or something else than meant."""

import re
from collections import defaultdict
from collections.abc import Iterator
from urllib.parse import quote, urlsplit

from loganalyzer.robots.canonical import UNRESERVED
from loganalyzer.robots.lint.check import Check, Mark, value, values
from loganalyzer.robots.lint.source import BLANK, RULE_KEYS, Line, Source

ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
# Folders that are commonly written in lower case, so that another spelling is likely a slip.
LOWER = (
    "admin|administrator|login|private|search|cart|checkout|account|tmp|temp|cgi-bin|wp-admin|images|scripts|includes"
)


def star(path: str, bad: bool = False) -> str:
    """A sample: one Disallow line for everybody."""
    return f"User-agent: *\nDisallow: {path}\n"


def _decoded(line: Line, _: object) -> str:
    def plain(escape: re.Match[str]) -> str:
        octet = int(escape[1], 16)
        return chr(octet) if octet in UNRESERVED else escape[0]

    return ESCAPE.sub(plain, line.value)


def _path_of_url(line: Line, _: object) -> str:
    try:
        parts = urlsplit(line.value)
    except ValueError:  # a host that is none, as `http://[`
        return "/"
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def _rooted(line: Line, _: object) -> str:
    """A path with its beginning: `.js` is meant anywhere, `shed` at the root."""
    bare = line.value.strip().lstrip("\ufeff\u200b")
    return bare if bare.startswith("/") else f"/*{bare}" if bare[:1] in {".", "?", "&"} else f"/{bare}"


def _encoded(line: Line, _: object) -> str:
    """Percent-encoded; an octet that was no UTF-8 as itself."""
    octets = re.sub(r"\\x([89a-f][0-9a-f])", lambda found: f"%{found[1].upper()}", line.value)
    return quote(octets, safe="/%?#[]@!$&'()*+,;=:~")


def _fragment(source: Source) -> Iterator[Mark]:
    for line in source.rules:
        # `/x # why` is a comment; `/#/x` was meant as a path.
        if line.comment and line.value and line.comment == line.end and line.text[line.comment + 1 :].strip():
            yield Mark(line, line.comment, len(line.text.rstrip()), None, {"rule": line.written(line.value)})


def _case_variants(source: Source) -> Iterator[Mark]:
    """Rules that differ only in case and usual folders in an unusual one, without the spelling in lower case."""
    told: set[int] = set()
    for binding in source.bindings.values():
        spellings: dict[tuple[bool, str], dict[str, Line]] = defaultdict(dict)
        for line in map(source.line, sorted(binding.rules, key=lambda rule: rule.line)):
            spellings[line.key == "allow", line.value.lower()].setdefault(line.value, line)
        for variants in spellings.values():
            first, *others = variants.values()
            usual = re.search(rf"^/(?:{LOWER})(?:/|$)", first.value.lower()) and first.value != first.value.lower()
            lower = first.value.lower()
            if (others or usual) and lower not in variants and first.number not in told:
                told.add(first.number)
                yield value(first, f"{first.text.strip()}\n{first.written(lower)}")


def _one_parameter(source: Source) -> Iterator[Mark]:
    told: set[int] = set()
    for binding in source.bindings.values():
        lines = [source.line(rule) for rule in binding.rules]
        written = {line.value.rstrip("*") for line in lines}
        for line in lines:
            found = re.match(r"/?\*\?([A-Za-z0-9_.\[\]-]+=?)\*?$", line.value)
            if not found or line.key != "disallow" or line.number in told:
                continue
            if not written & {f"{before}{found[1]}" for before in ("/*&", "*&", "/*", "/*?*")}:
                told.add(line.number)
                yield value(line, f"{line.text.strip()}\n{line.written(f'/*&{found[1]}')}", name=found[1])


def _bare_folder(source: Source) -> Iterator[Mark]:
    written = {line.value for line in source.rules}
    for line in source.rules:
        bare = line.value.removesuffix("/")
        folder = line.key == "disallow" and re.fullmatch(r"/[\w.-]+", bare) and bare != line.value
        if folder and not written & {bare, f"{bare}$", "/"}:
            yield value(line, f"{line.text.strip()}\n{line.written(f'{bare}$')}", bare=bare)


CHECKS = (
    Check(
        number=21, code="no-leading-slash", level="error", title="a path without its slash",
        says="a path begins with / (or *): {value} matches nothing for Google, and some readers add the slash",
        source="RFC 9309 section 2.2 (path-pattern); Google, robots.txt specification",
        find=values(r"^(?![/*]|[A-Za-z][A-Za-z0-9+.-]{0,20}://).+", _rooted),
        bad=star("shed"), good=star("/shed"),
    ),
    Check(
        number=22, code="url-as-path", level="error", title="a whole URL as path",
        says="rules are paths of this host: a URL matches nothing",
        source="Google, robots.txt specification; Lighthouse",
        find=values(r"^[A-Za-z][A-Za-z0-9+.-]{0,20}://\S*", _path_of_url),
        bad=star("https://garden.example/a"), good=star("/a"),
    ),
    Check(
        number=29, code="short-prefix", level="warning", title="a short prefix reaches far",
        says="this also blocks every other path that begins with {value}; for the folder write {value}/, for the one "
        "page {value}$",
        source="RFC 9309 section 2.2.2",
        find=values(r"^/[A-Za-z]{1,2}$", lambda line, _: f"{line.value}/", keys=("disallow",)),
        bad=star("/a"), good=star("/a/"),
    ),
    Check(
        number=30, code="folder-without-bare-path", level="warning", once=True,
        title="the folder's bare path stays open",
        says="{bare}, without the slash at its end, stays open", source="Google, robots.txt specification",
        find=_bare_folder, bad=star("/admin/"), good=star("/admin/") + "Disallow: /admin$\n",
    ),
    Check(
        number=31, code="trailing-star", level="warning", title="a * at the end",
        says="a * at the end matches nothing more, but makes the rule longer, which can change what wins",
        source="RFC 9309 sections 2.2.2 and 2.2.3",
        find=values(r"(?<=.)\*$", lambda line, _: line.value.rstrip("*") or "/"),
        bad=star("/x*"), good=star("/x"),
    ),
    Check(
        number=32, code="dollar-inside", level="warning", title="a $ that is no end",
        says="$ is special only as the last character, and *$ ends anywhere: this is not the anchor it seems",
        source="RFC 9309 section 2.2.3",
        find=values(r"\$(?=.)|\*\$$", lambda line, _: line.value[:-2] if line.value.endswith("*$")
                    else line.value[:-1].replace("$", "%24") + line.value[-1]),
        bad=star("/a$b"), good=star("/a%24b"),
    ),
    Check(
        number=33, code="regular-expression", level="error", title="a regular expression",
        says="only * and $ are special: the rest is compared as it is", source="RFC 9309 section 2.2.3; Yandex",
        find=values(r"(?<=/)\.\*|\([^()|]*\||\[\^?\w-\w|\\[dwsDWS.?/]|^\^|\.\+|\.\*\$"),
        bad=star("/(a|b)/.*"), good=star("/a/"),
    ),
    Check(
        number=34, code="query-not-covered", level="warning", title="the same file with a query stays open",
        says="the $ ends the match: with a query behind it (?x=1) the same file is open",
        source="Google, robots.txt specification",
        find=values(r"\.[A-Za-z0-9]{1,5}\$$", lambda line, _: line.value[:-1], keys=("disallow",)),
        bad=star("/*.pdf$"), good=star("/*.pdf"),
    ),
    Check(
        number=35, code="first-parameter-only", level="warning", title="a parameter caught in first place only",
        says="{name} behind another parameter (?a=1&{name}) is not matched",
        source="Google, useful robots.txt rules", find=_one_parameter,
        bad=star("/*?sort="), good=star("/*?sort=") + "Disallow: /*&sort=\n",
    ),
    Check(
        number=36, code="case", level="warning", title="paths are case-sensitive",
        says="any other spelling of {value} stays open where the server ignores case",
        source="RFC 9309 section 2.2.2; Google, robots.txt specification", find=_case_variants,
        bad=star("/Admin/"), good=star("/admin/"),
    ),
    Check(
        number=37, code="raw-non-ascii", level="warning", title="a path that is not ASCII",
        says="save the file as UTF-8, or better write the path percent-encoded",
        source="RFC 9309 sections 2.2.2 and 2.3",
        find=values(r"[^\x00-\x7f]+|\\x[89a-f][0-9a-f]", _encoded),
        bad=star("/café"), good=star("/caf%C3%A9"),
    ),
    Check(
        number=38, code="needless-escape", level="warning", title="an escape that need not be, or is no /",
        says="unreserved characters need no escape, and Google does not decode them; %2F is not /",
        source="RFC 9309 section 2.2.2",
        find=values(r"%(?:2[DEdeFf]|3[0-9]|4[1-9A-Fa-f]|5[0-9AFaf]|6[1-9A-Fa-f]|7[0-9AEae])", _decoded),
        bad=star("/%61dmin"), good=star("/admin"),
    ),
    Check(
        number=39, code="space-in-path", level="error", title="a blank inside a path",
        says="a URL has %20 where a blank is meant; readers differ, and Google never matches a raw blank",
        source="RFC 3986 section 2.1",
        find=values(r"[ \t]+", lambda line, _: line.value.replace(" ", "%20").replace("\t", "%09"),
                    unless=r"[ \t](?://|;)"),
        bad=star("/my shed"), good=star("/my%20shed"),
    ),
    Check(
        number=40, code="hash-in-path", level="error", title="a # inside a path",
        says="# begins a comment: this line is `{rule}`. Fragments never reach the server",
        source="RFC 9309 section 2.2.3", find=_fragment, bad=star("/#/private"), good=star("/private  # why"),
    ),
    Check(
        number=57, code="blocks-rendering", level="warning", title="what pages are drawn with is blocked",
        says="search engines draw the page: without style sheets, scripts and pictures they see less of it",
        source="Google, robots.txt specification; Apple 119829",
        find=values(r"(?i)\.(?:css|js|jpe?g|png|gif|svg|webp)\*?\$?$|^/(?:assets|css|js|static|styles?|scripts?|images?|"
                    r"img|fonts?|media|wp-includes|wp-content)/?\*?$", keys=("disallow",)),
        bad=star("/*.css$"), good=star("/shed/"),
    ),
    Check(
        number=58, code="hides-nothing", level="warning", title="robots.txt hides nothing",
        says="this line tells everybody the path, and a blocked address can still be listed. Ask for a password, or "
        "use noindex",
        source="RFC 9309 section 3; Google, robots.txt specification",
        find=values(r"(?i)secret|backup|passwd|credential|confidential|/hidden|"
                    r"/\.git\b|/\.env\b|\.htpasswd|\.sql\b|/dumps?\b",
                    keys=("disallow",)),
        bad=star("/secret-backup/"), good=star("/search"),
    ),
    Check(
        number=66, code="other-comment", level="info", title="a comment that is none",
        says="only # begins a comment: the rest belongs to the line", source="RFC 9309 section 2.2.3",
        find=lambda source: _other_comments(source), bad=star("/x // note"), good=star("/x # note"),
    ),
    Check(
        number=67, code="dots-or-slashes", level="warning", title="a path that no crawler asks for",
        says="paths are compared as written, and crawlers ask for normal ones: no //, no /./, no /../",
        source="RFC 9309 section 2.2.2; RFC 3986 section 6.2.2.3",
        find=values(r"//+|/\.\.?(?=/|$)", lambda line, _: _normal(line.value),
                    unless=r"^[A-Za-z][\w+.-]*://|[ \t]//|^[^?*]*[?*].*//"),
        bad=star("/a/../b"), good=star("/b"),
    ),
    Check(
        number=69, code="robots-disallowed", level="info", title="robots.txt itself",
        says="ignored: /robots.txt is always allowed", source="RFC 9309 section 2.2.2",
        find=values(r"^/robots\.txt\*?\$?$", keys=("disallow",)), bad=star("/robots.txt"), good=star("/robots"),
    ),
)  # fmt: skip


def _normal(path: str) -> str:
    kept: list[str] = []
    for segment in re.sub(r"//+", "/", path).split("/")[1:]:
        if segment == "..":
            kept[-1:] = []
        elif segment != ".":
            kept.append(segment)
    return "/" + "/".join(kept)


def _other_comments(source: Source) -> Iterator[Mark]:
    for line in source.lines:
        if line.key in (*RULE_KEYS, "user-agent"):
            if found := re.search(r"[ \t](//|;)", line.value):
                start = line.at + found.start(1)
                paste = (
                    f"{line.written(line.value[: found.start()].rstrip(BLANK))}  # {line.value[found.end() :].strip()}"
                )
                yield Mark(line, start, line.end, paste)
        elif line.text.lstrip().startswith(("//", ";")):
            yield Mark(line, line.start, len(line.text.rstrip()), f"# {line.text.strip().lstrip('/;').strip()}")
