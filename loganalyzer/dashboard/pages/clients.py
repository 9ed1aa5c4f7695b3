"""Every client: sortable, filterable, searchable; a click opens one."""

import streamlit as st

from loganalyzer.dashboard import frames, loaders, show
from loganalyzer.reports import wording

WIDTHS = {"purpose": 84, "requests": 70, "% of all": 64, "bytes": 70, "peak/s": 52, "robots.txt": 98, "after 429": 92}

st.title("Clients")
document = loaders.document()

purposes = sorted({wording.purpose(client) for client in document["clients"]})
wanted = show.several("purpose", "Purpose", purposes)
words = show.typed("name", "Name contains", "").casefold()

shown = [
    client
    for client in document["clients"]
    if (not wanted or wording.purpose(client) in wanted) and words in client["client"].casefold()
]
if not shown:
    st.info("No client has this purpose and name.")
    st.stop()

table = frames.clients(shown)
if not document["verification"]:
    table = table.drop(["verified"])  # nobody asked
row = show.grid(table, "clients", "Clients, most requests first", select=True, widths=WIDTHS)
st.caption("Shares are of all requests in the log. Choose a row to open that client.")
if row is not None:
    show.open_client(shown[row]["client"])
