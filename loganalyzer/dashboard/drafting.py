"""The parts of the page Draft: the editor with its mistakes, the effect beside it, a policy, suggestions."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from loganalyzer.clients.registry import PURPOSES
from loganalyzer.dashboard import draftframes, drafts, editor, loaders, show
from loganalyzer.drafts import Effect
from loganalyzer.errors import LogAnalyzerError, UsageError
from loganalyzer.escape import inline, markdown
from loganalyzer.reports import effects, mistakes, wording
from loganalyzer.reports import suggestions as worth
from loganalyzer.robots.lint import Finding

MISTAKES = 8  # shown; those that follow come when these are mended
EXCERPT = 26  # characters of a line that fit beside the effect
PATHS = 1000  # characters of paths, joined by commas
WIDTHS = {"client": 98, "so far": 68, "forbidden": 74, "allowed": 64, "saves": 128}
UNCHANGED = "The draft is the file in force. Change a line here, or have it written from a policy below."
NOTHING_BROKEN = "Nothing that the log shows: no page found by search, nothing that pages load, no feed and no sitemap."


def edit(draft: editor.Draft, findings: Sequence[Finding]) -> None:
    """The editor, and what is wrong under it."""
    editor.field(draft, findings)
    if draft.unreadable:
        st.warning("Some octets of the file in force are no UTF-8: they are lost where the draft is edited here.")
    if len(draft.text) >= editor.LONGEST:
        st.warning("No crawler needs to read so long a file, and no more of it is held here.")
    save, back = st.columns(2)
    save.download_button("Save robots.txt", draft.data, "robots.txt", "text/plain", on_click="ignore", width="stretch")
    unchanged = draft.data == draft.base
    back.button(
        "Back to the file in force",
        key="draft-back",
        on_click=editor.put,
        args=(draft.base,),
        disabled=unchanged,
        width="stretch",
    )
    told = f"{mistakes.counted(findings)}: they stand below, in the order of the lines"
    show.prose(told if findings else "No mistake was found in it.")


def listed(findings: Sequence[Finding]) -> None:
    """What is wrong, each mistake with its line."""
    if not findings:
        st.info("No mistake was found in the draft.")
        return
    for first in range(0, min(len(findings), MISTAKES), 2):  # by pairs: on a narrow screen they stand in order, too
        for number, column in enumerate(st.columns(2), first):
            if number < min(len(findings), MISTAKES):
                with column:
                    _mistake(findings[number], number)
    if (left := len(findings) - MISTAKES) > 0:
        show.prose(f"{left:,} more; the first ones are shown until they are mended.")
    show.save(draftframes.mistakes(findings), "mistakes")


def _mistake(found: Finding, number: int) -> None:
    """One mistake: its place with a caret, plain words, and the line to paste."""
    with st.container(border=True):
        word = "note" if found.level == "info" else found.level
        show.prose(f"{editor.SHAPES[found.level]} {word}, line {found.line:,}: {found.title}")
        lines = mistakes.excerpt(found, EXCERPT)
        st.code("\n".join("".join(part.text for part in line)[2:] for line in lines), language=None)
        show.prose(mistakes.said(found))
        if found.instead is None:
            return
        show.copyable(found.instead)
        label = "Put this in its place"
        arguments = (found.line, found.instead, found.text)
        st.button(label, key=f"mend-{number}", on_click=editor.replace_line, args=arguments)


def beside(draft: editor.Draft, found: Effect) -> Mapping[str, Any] | None:
    """What the draft would change; returns the row of the client that is looked at, where there is one."""
    if draft.data == draft.base:
        st.info(UNCHANGED)
        return None
    for sentence in effects.sentences(found):
        show.prose(sentence)
    if not found.changes:
        return None
    st.caption("In requests of the log; saves: answers that are expected to be left, and from least to most.")
    alt = "Clients for which the draft changes something, most bytes newly forbidden first"
    row = show.grid(
        draftframes.drafted(found), "drafted", alt, select=True, widths=WIDTHS, whole=draftframes.effect(found)
    )
    st.caption("Choose a row to read why, by which lines, and for example what.")
    if found.unmoved:
        show.prose(f"Will not care (measured): {wording.some([row['client'] for row in found.unmoved], 10)}.")
    chosen: Mapping[str, Any] = found.clients.slice(row or 0, 1).to_pylist()[0]
    return chosen


def one(row: Mapping[str, Any]) -> None:
    """One client: what changes for it, and how far it can be counted on."""
    with st.container(border=True):
        show.prose(effects.changed(row))
        for sentence in effects.examples(row):
            show.prose(sentence)
        if st.button("Open this client"):
            show.open_client(row["client"])


def broken(found: Effect) -> None:
    """What people and machines lose."""
    for lost in found.breaks:
        show.prose(loaders.private(f"✕ {effects.broken(lost)}"))
    if not found.breaks:
        show.prose(NOTHING_BROKEN)
    with st.expander("How the saving is weighted"):
        show.prose(effects.BASE)


def changes(draft: editor.Draft) -> None:
    """The difference from the file in force."""
    if text := draft.changes:
        show.copyable(text)
        st.download_button("Save the difference", text.encode(), "robots.diff", "text/plain", on_click="ignore")
    else:
        st.info(UNCHANGED)


def policy(host: str | None) -> None:
    """A draft from a policy in words, proven on the log before it is offered."""
    deny = show.several("deny", "May fetch nothing, by purpose", PURPOSES)
    allow = show.several("allow", "May fetch what everybody may, by purpose", PURPOSES)
    some = ",".join(drafts.names()[:2])
    left, right = st.columns(2)
    with left:
        denied = show.typed("deny_names", "May fetch nothing, by name, joined by commas", "", some, PATHS)
    with right:
        allowed = show.typed("allow_names", "May fetch what everybody may, by name", "", some, PATHS)
    left, right = st.columns(2)
    with left:
        keep_out = show.typed("keep_out", "Paths that nobody may fetch, joined by commas", "", "/search,/cart", PATHS)
    with right:
        pause = show.typed("pause", "Seconds between requests: Crawl-delay, which few keep", "", "10")
    everybody = show.switched("all_known", "Name known clients that the log has not seen, too")
    if not (deny or denied or allow or allowed or keep_out or pause):
        st.info("Choose whom to keep away, or name a path: the rules are written and proven here.")
        return
    try:
        done = drafts.written([*deny, denied], [*allow, allowed], keep_out, pause, host, everybody)
    except (UsageError, LogAnalyzerError) as error:
        st.error(markdown(loaders.private(str(error))))
        return
    for sentence in effects.sentences(drafts.effect(done.data, host)):
        show.prose(sentence)
    for note in done.notes:
        show.prose(note)
    show.copyable(done.data.decode("utf-8", "replace"))
    st.button("Put it into the editor", key="put-policy", on_click=editor.put, args=(done.data,))
    st.caption(
        "Proven on every client and target of the log: it decides as the policy says, and written anew it stays."
    )


def suggestions(host: str | None) -> None:
    """Rules where crawlers spend much and gain little."""
    if not show.switched("suggest", "Look for them in this log"):
        st.info("Where do crawlers spend much and gain little? Have the log looked through.")
        return
    try:
        found = drafts.suggestions(host)
    except (UsageError, LogAnalyzerError) as error:
        st.error(markdown(loaders.private(str(error))))
        return
    if not found:
        st.info(markdown(worth.NOTHING))
    for number, (suggestion, effect, lines) in enumerate(found, 1):
        with st.container(border=True):
            show.prose(f"{number}. {suggestion.kind}: {wording.some(suggestion.paths)}")
            for sentence in worth.sentences(suggestion, effect, [loaders.private(line) for line in lines]):
                show.prose(sentence)
            show.copyable(suggestion.rules)
            st.button("Add to the policy", key=f"worth-{number}", on_click=_keep_out, args=(suggestion.paths,))
    show.prose(worth.BASE)


def _keep_out(paths: Sequence[str]) -> None:
    """Add paths to the policy."""
    named = [path for path in st.session_state.get("typed-keep_out", "").split(",") if path.strip()]
    st.session_state["typed-keep_out"] = inline(",".join(dict.fromkeys([*named, *paths])))
