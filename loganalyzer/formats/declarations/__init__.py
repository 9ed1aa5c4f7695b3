"""Every format read without a directive, with its samples, by family. To add one, add a row to its family."""

from loganalyzer.formats.declarations.balancers import BALANCERS
from loganalyzer.formats.declarations.build import of_directive
from loganalyzer.formats.declarations.clf import CLF
from loganalyzer.formats.declarations.clouds import CLOUDS
from loganalyzer.formats.declarations.collected import COLLECTED
from loganalyzer.formats.declarations.labelled import LABELLED
from loganalyzer.formats.declarations.objects import OBJECTS
from loganalyzer.formats.declarations.servers import SERVERS
from loganalyzer.formats.declarations.variants import FORWARDED_FIRST, HOST_SECOND, TIMED, VARIANTS
from loganalyzer.formats.declarations.w3c import W3C
from loganalyzer.formats.declarations.web import WEB
from loganalyzer.formats.model import Format

__all__ = ["FORMATS", "of_directive"]

# Of formats that read a log equally well the first is taken.
FORMATS: tuple[Format, ...] = (
    *HOST_SECOND,
    *FORWARDED_FIRST,
    *CLF,
    *TIMED,
    *WEB,
    *SERVERS,
    *VARIANTS,
    *BALANCERS,
    *W3C,
    *CLOUDS,
    *COLLECTED,
    *OBJECTS,
    *LABELLED,
)
