"""What drives the traffic, what it costs, what was found."""

import streamlit as st

from loganalyzer.dashboard import charts, frames, loaders, show
from loganalyzer.escape import markdown
from loganalyzer.reports import wording

st.title("Overview")
document = loaders.document()
totals = document["totals"]

st.subheader(wording.headline(document))
for source in document["inputs"]:
    if source["problem"]:
        st.warning(markdown(loaders.private(f"Not whole: {wording.problem(source)}")))

if totals["first"]:
    st.altair_chart(charts.over_time(document["series"]), alt="Requests over time by purpose, refusals below the axis")
else:
    st.info("The log holds no time, so nothing can be shown over time.")

st.subheader("Findings, worst first", divider="gray")
if document["findings"]:
    row = show.grid(frames.findings(document), "findings", "Findings, worst first", select=True)
    st.caption("Choose a row to open the client with the lines that prove it.")
    if row is not None:
        found = document["findings"][row]
        show.open_client(found["client"], show.what_of(found["evidence"]))
else:
    st.info("Nothing was found that acts against what it was told.")

st.subheader("What it costs", divider="gray")
show.grid(frames.costs(document), "costs", "Clients, requests and bytes by purpose")

st.subheader("What would work, mildest first", divider="gray")
show.grid(frames.levers(document), "levers", "Levers by client, mildest first")

for note in document["notes"]:
    st.info(markdown(f"What the log cannot say: {note}"))

st.subheader("Inputs", divider="gray")
show.grid(frames.inputs(document), "inputs", "Inputs with their lines, requests and rejects")
if document["rejects"]:
    st.subheader("Lines not understood")
    show.grid(frames.rejects(document), "rejects", "Rejected lines by reason")
