"""Formats: one declaration a format, detection by vote, and the reader that gives every line its place.

    read(paths) -> Log(requests, rejects, inputs)

A format is added in `declarations` alone: its directive as the server's documentation gives it, and its samples.
"""

from loganalyzer.formats.declarations import FORMATS
from loganalyzer.formats.model import Field, Format, Sample
from loganalyzer.formats.reader import Input, Log, read

__all__ = ["FORMATS", "Field", "Format", "Input", "Log", "Sample", "read"]
