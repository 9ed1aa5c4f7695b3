"""Steps that need nothing of one another, run side by side: what each gives does not depend on when it ran."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Self, TypeVar

Given = TypeVar("Given")


class Lanes:
    """Runs what is started in so many threads, first what was started first; with one lane at once, in the caller's.

    An error is raised where its result is asked for; what has not begun when the block is left so never begins.
    """

    def __init__(self, lanes: int) -> None:
        """Nothing runs yet."""
        self._pool = ThreadPoolExecutor(lanes) if lanes > 1 else None

    def start(self, step: Callable[[], Given]) -> Callable[[], Given]:
        """Run a step; what is returned waits for its result."""
        if self._pool is None:
            given = step()
            return lambda: given
        return self._pool.submit(step).result

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=error is not None)
