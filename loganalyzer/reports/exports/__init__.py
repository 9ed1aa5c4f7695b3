"""Every table of a report as a folder of files: `report --csv DIR` and `--parquet DIR`.

To add a table, append a `Table` to the TABLES of its module: it is written, told in the manifest and tested from there.
"""

from loganalyzer.reports.exports.folder import check_folders
from loganalyzer.reports.exports.writers import TABLES, write

__all__ = ["TABLES", "check_folders", "write"]
