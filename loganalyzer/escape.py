r"""Text that strangers wrote, made harmless for one place each; imports nothing of ours.

Every byte of a log is a stranger's. A terminal obeys escape sequences (CVE-2003-0020 and its many successors), a
bidirectional override shows other text than is there, a spreadsheet runs a cell that begins with `=`, Markdown loads
pictures. HTML is not here: Jinja's autoescape does that, and `inline` takes care of what HTML itself lets through.
"""

import json
import re

# C0 (newline apart), DEL and C1 steer a terminal. The others are invisible or turn the reading direction: soft hyphen,
# Arabic letter mark, zero-width characters and marks, line and paragraph separators, embeddings, overrides, isolates,
# byte order mark, annotations, tags; and lone surrogates, which no encoder takes.
_UNSEEN = (
    "\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f\ud800-\udfff"
)
_BUT_NEWLINE = re.compile(f"[{_UNSEEN}]")
_ALL = re.compile(f"[{_UNSEEN}\n]")

# What a spreadsheet takes for a formula, also behind blanks and quotes (which it strips), and in full width.
_FORMULA = re.compile(r"""[\s"'\x00-\x20]*[=+\-@＝＋－＠]|[\t\r\n]""")

# A word of prose that no dialect of Markdown can read as anything but itself. No `_`, `*`, `[`, `<`, `&`, `$`, `#`; and
# no dot or colon among letters, which some dialects make a link of: the two names of files are the exception.
_PLAIN_WORD = re.compile(
    r"""
    \(? (?: [^\W_]+ (?:['’/-][^\W_]+)*  |  \d+ (?:[.,:]\d+)* (?:[-/][^\W_]+)? ) [).,;:%?!]{0,3}
    | /?(?:[Rr]obots|llms)\.txt [),;:]?
    | % [).,;:]{1,3}
    | [·–—%●◐✕]
    """,
    re.VERBOSE,
)


def terminal(text: str) -> str:
    r"""Write what steers a terminal or hides as `\x1b`, `\u202e`; newlines stay."""
    return text if text.isprintable() else _BUT_NEWLINE.sub(_visible, text)


def inline(text: str) -> str:
    r"""The same for text that must stay on its line: a newline is written `\x0a` too."""
    return text if text.isprintable() else _ALL.sub(_visible, text)


def csv_cell(text: str) -> str:
    """Text for a cell of a table that a spreadsheet may open: on one line, and never a formula.

    A number is no text: write it as it is, or `-5` would become a word.
    """
    return f"'{inline(text)}" if _FORMULA.match(text) else inline(text)


def json_text(text: str) -> str:
    r"""JSON as written by a serialiser, with what it leaves bare of the hidden and steering characters as `\uXXXX`.

    Readers of JSON take the same text back; a terminal, and an encoder given a lone surrogate, see ASCII.
    """
    return (
        text
        if text.isascii() and "\x7f" not in text
        else _BUT_NEWLINE.sub(lambda match: json.dumps(match[0])[1:-1], text)
    )


def code(text: str) -> str:
    """A value as a Markdown code span, where nothing is a link, a picture, HTML or a column's end."""
    return "`" + (inline(text).replace("`", r"\x60").replace("|", r"\x7c") or " ") + "`"


def markdown(text: str) -> str:
    """Prose with strangers' words in it as Markdown: every word that is not plain becomes a code span."""
    words = [_word(word) for word in inline(text).split(" ") if word]
    if words and words[0][:1].isdigit() and words[0][-1] in ".)":
        words[0] = code(words[0])  # at the start of a paragraph it would begin a numbered list
    return " ".join(words)


def _word(word: str) -> str:
    if _PLAIN_WORD.fullmatch(word):
        return word
    opened = "(" if word.startswith("(") else ""
    bare = word.rstrip(".,;:!?" + (")" if opened or "(" not in word else ""))[len(opened) :]
    if not bare:
        return code(word)
    return opened + code(bare) + word[len(opened) + len(bare) :]


def _visible(match: re.Match[str]) -> str:
    point = ord(match[0])
    return f"\\x{point:02x}" if point < 0x100 else f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"
