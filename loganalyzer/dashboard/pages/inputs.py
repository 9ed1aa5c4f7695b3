"""What was read: each input with its formats and its accounting, and the lines that are no request."""

import streamlit as st

from loganalyzer.dashboard import frames, loaders, show
from loganalyzer.escape import markdown
from loganalyzer.reports import wording

REMARKS = 50  # shown; the table to save has all
WIDTHS = {"input": 262, "compression": 90, "lines": 76, "requests": 76, "rejects": 66, "blank": 56, "comments": 78}

st.title("Inputs")
document = loaders.document()
inputs = document["inputs"]
lines, requests, rejects, blank, comments = (
    sum(source[key] for source in inputs) for key in ("lines", "requests", "rejects", "blank", "comments")
)

whole = f"{wording.plural(len(inputs), 'input')}: {wording.plural(lines, 'line')}"
parts = wording.plural(requests, "request"), wording.plural(rejects, "reject")
show.prose(f"{whole} = {' + '.join(parts)} + {blank:,} blank + {wording.plural(comments, 'comment')}")
if lines != requests + rejects + blank + comments:
    st.error("These do not add up: a line was lost or counted twice. Please report this as a fault of loganalyzer.")
show.grid(frames.accounting(document), "accounting", "Inputs with what became of their lines", widths=WIDTHS)
st.caption("Lines of each input as a whole, whatever period was asked for; bytes are uncompressed.")

st.subheader("Formats", divider="gray")
show.grid(frames.formats(document), "formats", "Formats of each input with the lines that each read")
st.caption("The base of a share is all lines of that input.")

st.subheader("Problems and notes", divider="gray")
remarks = frames.remarks(document)
if remarks.num_rows:
    show.static(remarks.slice(0, REMARKS))
    show.save(remarks, "remarks")
elif document["notes"]:
    show.prose("Every input was read whole.")
else:
    st.info("Every input was read whole, and there is nothing to note.")
for note in document["notes"]:
    st.info(markdown(f"What the log cannot say: {note}"))

st.subheader("Lines not understood", divider="gray")
if document["rejects"]:
    counted = sum(reject["count"] for reject in document["rejects"])
    within = " of the period that was asked for" if any(document["asked"].values()) else f" of {lines:,}"
    show.prose(
        f"{wording.plural(counted, 'line')}{within} by the reason why they are no request, with the first of each"
    )
    show.grid(frames.rejected(document), "rejected", "Rejected lines by reason, with the first of each")
else:
    st.info("No line was rejected: each is a request, blank or a comment.")
