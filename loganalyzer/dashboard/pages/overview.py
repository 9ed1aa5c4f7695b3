"""What drives the traffic, what it costs, what was found."""

import streamlit as st

from loganalyzer.dashboard import charts, comparing, frames, loaders, show
from loganalyzer.escape import markdown
from loganalyzer.reports import wording

FINDINGS, LEVERS, SUSPECTED = 20, 20, 20  # shown; the tables to save have all
INPUTS = {
    "input": 262,
    "format": 88,
    "lines": 58,
    "requests": 66,
    "rejects": 58,
    "blank": 50,
    "comments": 76,
    "bytes": 68,
}

st.title("Overview")
document = loaders.document()
totals = document["totals"]

st.subheader(wording.headline(document))
for source in document["inputs"]:
    if source["problem"]:
        st.warning(markdown(f"Not whole: {wording.problem(source)}"))

if totals["first"]:
    alt = "Requests over time by purpose, refusals below the axis"
    mark = show.picked(charts.pickable(charts.over_time(document["series"]), "purpose"), "purposes", alt)
    st.caption("Choose a bar, or a triangle, to see its lines: the first stands on the page that opens.")
    if mark is not None:
        show.open_mark(document["series"], *mark)
else:
    st.info("The log holds no time, so nothing can be shown over time.")

comparing.part()

st.subheader("Findings, worst first", divider="gray")
if document["findings"]:
    for number, found in enumerate(document["findings"][:FINDINGS], 1):
        show.finding(found, number)
    show.save(frames.findings(document), "findings")
else:
    st.info("Nothing was found that acts against what it was told.")

st.subheader("What it costs", divider="gray")
show.grid(frames.costs(document), "costs", "Clients, requests and bytes by purpose")

st.subheader("What would work, mildest first", divider="gray")
levers = frames.levers(document)
if levers.num_rows:
    show.static(levers.slice(0, LEVERS))
    show.save(levers, "levers")
else:
    st.info("Nothing needs to be done: every automated client can be left alone.")

if document["suspected"]:
    st.subheader("Browsers that behave like programs: suspected, and counted as browsers", divider="gray")
    suspected = frames.suspected(document)
    show.static(suspected.slice(0, SUSPECTED).drop(["first lines", "command for all"]))
    show.save(suspected, "suspected")

if document["shared_addresses"]:
    st.subheader("Addresses with several names", divider="gray")
    show.grid(frames.shared_addresses(document), "shared_addresses", "Addresses that came under several operators")

for note in document["notes"]:
    st.info(markdown(f"What the log cannot say: {note}"))

st.subheader("Inputs", divider="gray")
show.grid(frames.inputs(document), "inputs", "Inputs with their lines, requests and rejects", widths=INPUTS)
if document["rejects"]:
    st.subheader("Lines not understood")
    show.grid(frames.rejects(document), "rejects", "Rejected lines by reason")
