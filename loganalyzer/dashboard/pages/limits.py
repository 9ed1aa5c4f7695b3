"""Limits: what a rate limit would have refused, to whom, people among them, and the text to paste."""

import streamlit as st

from loganalyzer.dashboard import frames, loaders, questions, show
from loganalyzer.drafts.limits import KEYS, SERVERS, Limit
from loganalyzer.errors import UsageError
from loganalyzer.escape import markdown
from loganalyzer.reports import limits as words
from loganalyzer.reports import wording

COUNTED = {"token": "client's name", "address": "address", "network": "network, /24 or /48"}
TITLES = {name: server.title for name, server in SERVERS.items()}
WIDTHS = {"which is": 85, "requests": 78, "refused": 72, "% of its requests": 110, "bytes refused": 95, "addresses": 78}

st.title("Limits")
loaders.document()

rate_at, burst_at, key_at = st.columns(3)
with rate_at:
    rate = show.typed("rate", "Rate, requests: 1r/s, 30r/m", "1r/s")
with burst_at:
    burst = show.numbered("burst", "Burst, requests above the rate", 0, 5)
with key_at:
    chosen = show.remembered("key", "Counted by", KEYS, COUNTED)
try:
    limit = Limit(rate, burst, key=next(key for key in KEYS if key == chosen))
    effect = questions.effect(limit)
except (ValueError, UsageError) as error:
    st.error(markdown(loaders.private(str(error))))
    st.stop()

st.subheader("What it would have refused", divider="gray")
if not effect["requests"]:
    st.info("No request is under this limit: none has a time and what it is counted by. Count by something else.")
    st.stop()
show.prose(words.refused(effect))
show.prose(words.people(effect))
refused = [row for row in effect["clients"] if row["refused"]]
if refused:
    alt = "Clients that the limit would have refused, most refusals first"
    row = show.grid(frames.limited(refused), "limited", alt, select=True, widths=WIDTHS)
    st.caption("The base is requests with a time, those for /robots.txt left out. Choose a row to open that client.")
    if row is not None:
        show.open_client(refused[row]["client"])
whole = len(effect["clients"]) - len(refused)
show.prose(f"Nothing refused: {wording.plural(whole, 'client')} of {len(effect['clients']):,} under the limit.")
if questions.whole_seconds():
    show.prose(words.WHOLE_SECONDS)
show.prose(words.CAVEAT)

st.subheader("The text to paste", divider="gray")
server = show.remembered("server", "Server", list(SERVERS), TITLES)
try:
    text, notes = questions.snippet(limit, effect, server)
except UsageError as error:
    st.info(markdown(loaders.private(str(error))))
    st.stop()
for note in notes:
    show.prose(note)
show.copyable(text)
