"""The shape of a User-Agent: from hostile text to candidate names, with no opinion on which is right.

RFC 9110 section 10.1.5: `User-Agent = product *( RWS ( product / comment ) )`, comments nest. Real ones quote, encode,
forget brackets and write prose, so every step is a scan that goes on. Text is cut to `LIMIT` characters first and
blanks are collapsed before any pattern sees it: no input costs more than its length.
"""

import re
from dataclasses import dataclass, field

from loganalyzer.clients import words

LIMIT = 2048  # the longest real header of the corpus this was built on had under 1,000 characters
LONGEST_NAME = 64
MOST_CANDIDATES = 64  # real headers hold under 20; a hostile one may hold a thousand, and every log has room for it
MOST_BRACKETS = 128  # likewise; what is behind is one piece
CONTACT = "\x01"  # stands for a masked URL or address: control characters cannot reach the scanner otherwise

_EDGES = "\"'`.,:*+@#~&$%^?/\\“”„‘’«»"  # what may cling to a name and is none of it
_CONTROL = re.compile(r"\x1b\[[0-9;]*[A-Za-z]|[\x00-\x1f\x7f-\x9f]+")
_QUOTE = re.compile(r"\\x22|\\?\"")
_BRACKET_OR_QUOTE = re.compile(r'[()]|"(?:(?<=[\s(;,]")([^\s"()]+)")?')  # the group: one word in quotes of its own
_HEADER = re.compile(r"\s*user[-_ ]?agent\s*[:=]\s*", re.IGNORECASE)
_TAG = re.compile(r"</?[a-z][a-z0-9]*(?:\s[^<>]*)?>", re.IGNORECASE)
_ENCODED_TWICE = re.compile(r"%(?:25)+(?=[0-9a-f]{2})", re.IGNORECASE)
_ENCODED_SLASH = re.compile(r"%(?:25)*2f", re.IGNORECASE)
_IIS = re.compile(r"[/\w]\+\(|;\+|\)\+")
_IIS_BLANK = re.compile(r"\+(?!https?:|www\.)")
_URL = re.compile(
    r"\+?(?:(https?://[^\s\"'<>()\[\]{};,|\\^`]+)"
    r"|(?<![\w.@/-])(www\.[\w-]+\.[^\s\"'<>()\[\]{};,|\\^`]+)"
    r"|(?<=\+)((?:[\w-]+\.)+[a-z]{2,}/[^\s\"'<>()\[\]{};,|\\^`]*))",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[A-Za-z][\w-]{1,62}")  # no `ios@9.2.3`
_LABEL = re.compile(r"[a-z]+:(?=[A-Z])")  # `aggregator:Spinn3r`
_BRACKET = re.compile(r"([()])")
_SEPARATOR = re.compile(r"[;|\[\]{}<>]|,(?!\d)|\s-(?=\s)")
_VERSION_WORD = re.compile(r"v?\d+(?:[._,]\S*)?|\d{4}-\d\d-\d\d|v?\d+[a-z]?", re.IGNORECASE)
_GLUED = re.compile(r"(.*?[A-Za-z])[-_]?(v?\d+(?:\.\d+)+\S*)")


@dataclass(frozen=True, slots=True)
class Header:
    """A User-Agent after normalisation: `text` with contacts masked, the first contact, and what was undone."""

    text: str
    contact: str | None
    flags: tuple[str, ...]


@dataclass(slots=True)
class Candidate:
    """A name that might be the client's, with where it stood."""

    name: str
    version: str | None
    place: int  # 0 = top level, else the number of its comment
    order: int
    after_compatible: bool = False
    device: bool = False  # stands where phones name their model
    slashed: bool = False  # written `name/version`
    beside_khtml: bool = False
    contact: int = 0  # 2 = a contact follows it directly, 1 = one is in its reach


@dataclass(slots=True)
class Comment:
    """One bracketed comment: does it describe a platform, does it hold a contact."""

    platform: bool = False
    contact: bool = False
    candidates: int = 0


@dataclass(slots=True)
class Parsed:
    """Everything that the scan saw."""

    candidates: list[Candidate] = field(default_factory=list)
    comments: dict[int, Comment] = field(default_factory=dict)
    browser_first: bool = False
    browser_products: int = 0  # beyond a leading Mozilla
    platform: bool = False  # some comment describes one
    runtime: bool = False  # begins with what runs applications
    contact_on_top: bool = False  # a contact outside of comments
    first_product: Candidate | None = None  # the first candidate of the top level
    trailing: Candidate | None = None  # the last product of the top level, where it is no browser


def normalise(user_agent: str | None) -> Header:
    """Undo quoting and encoding, drop what no name can hold, mask the contacts."""
    flags = []
    text = (user_agent or "").strip()
    if len(text) > LIMIT:
        text = text[:LIMIT]
        flags.append("truncated")
    if text.startswith("=") or any(mark in text.casefold() for mark in words.ATTACKS):
        flags.append("attack-string")
    if _QUOTE.search(text):
        text = _without_outer_quotes(_QUOTE.sub('"', text))
        flags.append("quoted")
    if header := _HEADER.match(text):
        text = text[header.end() :]
    if (" " not in text and "%20" in text) or (_ENCODED_SLASH.search(text) and "/" not in text):
        text = _percent_decoded(text)
        flags.append("encoded")
    elif " " not in text and _IIS.search(text):
        text = _IIS_BLANK.sub(" ", text)
        flags.append("encoded")
    text = _TAG.sub(" ", _without_scripts(_CONTROL.sub(" ", text)))
    if '"' in text:
        flags += [] if "quoted" in flags else ["quoted"]  # quotes that were encoded
        text = _until_quote(_without_outer_quotes(text))
    masked, contact = _mask_contacts(" ".join(text.split()))
    return Header(masked, contact, tuple(flags))


def _without_outer_quotes(text: str) -> str:
    """Undo the quoting of a whole value, however often it was quoted."""
    depth = 0
    while depth < len(text) // 2 and text[depth] == '"' == text[-1 - depth]:
        depth += 1
    return text[depth : len(text) - depth]


def _until_quote(text: str) -> str:
    """What stands before the first quote that can be no part of a user agent.

    RFC 9110 section 5.6.2: no character of a token is a quote. Text that follows one is written to be read as the end
    of a log's field and the begin of the next (`x" 200 9 "-" "Googlebot`), so no name is taken from it. In a comment
    that is closed, a word in quotes of its own is that word.
    """
    kept: list[str] = []
    begin, depth, closed = 0, 0, text.rfind(")")
    for found in _BRACKET_OR_QUOTE.finditer(text):
        if found[0] == "(":
            depth += 1
        elif found[0] == ")":
            depth = max(depth - 1, 0)
        elif found[1] is None or not depth or found.end() > closed:
            return "".join([*kept, text[begin : found.start()]])
        else:
            kept += [text[begin : found.start()], found[1]]
            begin = found.end()
    return "".join([*kept, text[begin:]])


def _percent_decoded(text: str) -> str:
    from urllib.parse import unquote

    return unquote(_ENCODED_TWICE.sub("%", text), errors="replace")


def _without_scripts(text: str) -> str:
    """Drop `<script>...</script>` whole: its text is no name."""
    while (start := text.casefold().find("<script")) >= 0:
        end = text.casefold().find("</script>", start)
        text = text[:start] + (text[end + 9 :] if end >= 0 else "")
    return text


def _mask_contacts(text: str) -> tuple[str, str | None]:
    """Replace every URL and address by `CONTACT`; the first URL is the contact, else the first address."""
    urls: list[str] = []
    addresses: list[str] = []

    def url(match: re.Match[str]) -> str:
        found = next(group for group in match.groups() if group)
        urls.append(found.rstrip(".:*!'-+"))
        return f" {CONTACT} "

    def address(match: re.Match[str]) -> str:
        addresses.append(match[0].lstrip("+").rstrip(".-"))
        return f" {CONTACT} "

    text = _URL.sub(url, text) if "/" in text or "www." in text.casefold() else text
    text = _ADDRESS.sub(address, text) if "@" in text else text
    return text, (urls + addresses + [None])[0]


def parse(header: Header) -> Parsed:
    """Scan the masked text once, left to right, into candidates and what surrounds them."""
    folded = header.text.casefold()
    scan = _Scan(
        Parsed(
            browser_first=words.begins_as_browser(header.text),
            platform=words.is_phone(folded),
            runtime=words.is_runtime(folded),
        )
    )
    for piece in _BRACKET.split(header.text, MOST_BRACKETS):
        if piece == "(":
            scan.open()
        elif piece == ")":
            scan.close()
        elif len(scan.parsed.candidates) > MOST_CANDIDATES:
            break
        elif piece:
            scan.piece(piece)
    return scan.parsed


class _Scan:
    """State of one scan: the open comments and what stood last."""

    def __init__(self, parsed: Parsed) -> None:
        self.parsed = parsed
        self.open_comments: list[int] = []
        self.owners: list[Candidate | None] = []  # of the comments around
        self.before: Candidate | None = None  # the top-level product directly in front
        self.owner: Candidate | None = None  # the first name of the place, of which what follows is a remark
        self.near: Candidate | None = None  # the last name of the segment
        self.waiting = False  # a contact that nothing stood in front of
        self.compatible = self.device = self.khtml = False  # where the scan stands

    @property
    def place(self) -> int:
        return self.open_comments[-1] if self.open_comments else 0

    def open(self) -> None:
        self.open_comments.append(len(self.parsed.comments) + 1)
        self.owners.append(self.owner)
        self.parsed.comments[self.place] = Comment()
        self.owner = None

    def close(self) -> None:
        if self.open_comments:
            self.open_comments.pop()
            self.owner = self.owners.pop()

    def piece(self, text: str) -> None:
        """Cut one run of text without brackets into segments, and these into names and contacts."""
        self.compatible = self.device = False
        self.khtml = bool(self.place) and "khtml" in text.casefold()
        for segment in _SEPARATOR.split(text):
            folded = segment.strip().casefold()
            if not folded:
                continue
            if folded == "compatible":
                self.compatible = True
                continue
            if self.place and words.is_platform(folded):
                self.parsed.comments[self.place].platform = self.parsed.platform = True
                self.device |= self.parsed.browser_first and (folded.startswith("android ") or " android " in folded)
            elif not words.is_noise(folded, inside=bool(self.place) or self.parsed.browser_first):
                self.segment(segment)
            self.compatible = False

    def segment(self, text: str) -> None:
        """Collect words up to a version: that run is a name."""
        self.near = None
        run: list[str] = []
        for word in text.split():
            name, slash, version = word.partition("/")
            if word == CONTACT:
                self.name(run)
                self.contact()
            elif words.is_engine(name) or (slash and words.is_browser(name)):
                self.name(run)
                self.browser(name)
            elif slash:
                self.name([*run, name], version, slashed=True)
            elif _VERSION_WORD.fullmatch(word) and (run or self.near is None):
                self.name(run, word)
            else:
                run.append(word)
                continue
            run, self.compatible = [], False
        self.name(run)

    def browser(self, name: str) -> None:
        if name.casefold() != "mozilla":
            self.parsed.browser_products += 1
        if not self.place:
            self.before = self.owner = self.parsed.trailing = None

    def name(self, run: list[str], version: str | None = None, slashed: bool = False) -> None:
        """Make a candidate of a run of words, unless no name can be read out of it."""
        if self.place and run and words.is_browser(run[0]):
            self.parsed.platform = True  # "(compatible; MSOffice 16)"
        full = len(self.parsed.candidates) > MOST_CANDIDATES
        whole = " ".join(words.without_prose(run))[: LONGEST_NAME + 1].strip(_EDGES + " ")
        name, version = _split_glued(_LABEL.sub("", whole, 1) if _LABEL.match(whole) else whole, version)
        if full or len(name) > LONGEST_NAME or not any(map(str.isalpha, name)) or words.is_never(name, slashed):
            return
        found = Candidate(
            name=name,
            version=version,
            place=self.place,
            order=len(self.parsed.candidates),
            after_compatible=self.compatible,
            device=self.device,
            slashed=slashed,
            beside_khtml=self.khtml,
        )
        self.parsed.candidates.append(found)
        self.near = found
        if slashed or not self.device:
            self.owner = self.owner or found
        if self.place:
            self.parsed.comments[self.place].candidates += 1
        else:
            self.before = self.before if self.before and words.is_beside(name) else found
            self.parsed.trailing = found
            self.parsed.first_product = self.parsed.first_product or found
        if self.waiting:
            found.contact, self.waiting = 1, False

    def contact(self) -> None:
        """Give a contact to its name: that of the segment, else what the comment is about, else the product before."""
        about = self.owner if self.owner and (self.owner.after_compatible or not self.place) else None
        before = None if self.before and words.is_library(self.before.name) else self.before
        holder = self.near or about or before or self.owner
        if self.place:
            self.parsed.comments[self.place].contact = True
        else:
            self.parsed.contact_on_top = True
        for other in (self.owner, self.before):
            if other is not None:
                other.contact = max(other.contact, 1)
        if holder is not None:
            holder.contact = 2
        self.waiting = holder is None


def _split_glued(name: str, version: str | None) -> tuple[str, str | None]:
    """Cut `larbin_2.6.2` in two; `MJ12bot` stays whole. A version without a digit (`UNAVAILABLE`) is none."""
    if glued := _GLUED.fullmatch(name):
        name, version = glued[1].removesuffix("_version"), glued[2]
    version = (version or "").strip("\"'`,;:()“”„‘’«»")
    return name.rstrip("-_ "), version if any(c.isdigit() for c in version) else None
