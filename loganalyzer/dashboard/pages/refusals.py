"""After 429 and 503: who kept the wait, who came back early, episode by episode."""

import streamlit as st

from loganalyzer.dashboard import frames, loaders, show
from loganalyzer.reports import definitions, facts

st.title("After 429")
document = loaders.document()
clients = [client for client in document["clients"] if client["backoff"]["refusals"]]

if not clients:
    st.info("No 429 and no 503 with Retry-After is in the log, so no reaction to being slowed could be measured.")
    st.stop()
if not document["totals"]["logged"].get("retry_after"):
    st.info("Retry-After is not logged, so each wait is assumed. Log it, and the waits are known:")
    st.code(
        'log_format measured \'... "$http_user_agent" $request_time "$sent_http_retry_after"\';',
        language=None,
        wrap_lines=True,
    )

WIDTHS = {"after 429": 98, "per address": 176, "per token": 176, "refusals": 72, "which is": 70} | dict.fromkeys(
    ("kept", "waits", "early", "wait, s"), 60
)
alt = "Clients that were refused and what they did"
table = frames.refused(clients)
alike = table["per address"].equals(table["per token"])
shown = table.drop(["per token"]) if alike else table
row = show.grid(shown, "refused", alt, select=True, widths=WIDTHS, whole=table)
if alike:
    st.caption(
        "Episodes are counted per address; per token they are the same. Where a verdict has a ?, a wait is assumed."
    )
else:
    st.caption("Episodes are counted per address and per token. A ? marks a wait that is assumed.")
st.caption("Choose a row to read all of it below.")
client = clients[row or 0]

st.subheader("Episodes", divider="gray")
show.prose(f"{client['client']}: {facts.refusals(client)}")
for counted, counts in (("address", client["backoff"]["per_address"]), ("token", client["backoff"]["per_token"])):
    show.prose(f"Episodes per {counted}: {frames.verdicts(counts) or 'none'}.")
show.episodes(client)
if st.button("Open this client with its early requests"):
    show.open_client(client["client"], "early")

st.subheader("What the words mean", divider="gray")
show.facts(definitions.REFUSAL)
