"""What is kept out of the process that runs a command."""

import sys


class _NoPandas:
    """Hides pandas from this process: pyarrow imports it where it is installed, a sixth of a second for nothing."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        """Answer as if pandas were not installed, and let other finders answer for the rest."""
        if name == "pandas":
            raise ModuleNotFoundError("pandas is not used on the command line", name=name)


_FINDER = _NoPandas()


def hide_pandas() -> None:
    """Keep pandas out."""
    if _FINDER not in sys.meta_path:
        sys.meta_path.insert(0, _FINDER)


def show_pandas() -> None:
    """Let pandas in: pyspark asks for it, though nothing here is done with it."""
    if _FINDER in sys.meta_path:
        sys.meta_path.remove(_FINDER)
