"""What is raised on purpose. Each text says what, where, what was kept and what to do next.

LogAnalyzerError            exit code
├── UsageError              2   a wrong argument or configuration
├── UnknownFormatError      4   nothing in the input could be read
├── NothingUsableError      4   no request at all
├── StoreError              4   a store that cannot be used: none, of another version, damaged
└── OutputError             5   an output could not be written
    └── UnsettledError      5   it was, but a power cut may undo it
"""


class LogAnalyzerError(Exception):
    """Base of every expected failure; `exit_code` is the one the command line ends with."""

    exit_code = 1


class UsageError(LogAnalyzerError, ValueError):
    """A wrong argument, directive or configuration file."""

    exit_code = 2


class UnknownFormatError(LogAnalyzerError, ValueError):
    """No format reads the input; the text shows the first line and where the nearest formats stop."""

    exit_code = 4


class NothingUsableError(LogAnalyzerError):
    """No input held a single request, so there is nothing to report on."""

    exit_code = 4


class StoreError(LogAnalyzerError):
    """A folder that is no store, a store of another version, or a damaged one."""

    exit_code = 4


class OutputError(LogAnalyzerError, OSError):
    """An output could not be written; what stood there before is untouched."""

    exit_code = 5


class UnsettledError(OutputError):
    """An output stands whole under its name, but the disk did not say that it keeps it."""
