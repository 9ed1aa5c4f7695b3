"""Evidence: the original lines of any client that a finding stands on."""

import streamlit as st

from loganalyzer.dashboard import loaders, questions, show
from loganalyzer.errors import UsageError
from loganalyzer.escape import inline, markdown
from loganalyzer.reports import wording

LINES = show.LINES
START = "loganalyzer dashboard access.log"

st.title("Evidence")
document = loaders.document()
totals = document["totals"]
names = [client["client"] for client in document["clients"]]
asked = {key: st.query_params.get(key) for key in ("of", "client", "lines", "other")}
if asked["client"] not in (None, *names):
    st.warning("The address names a client that is not in this log; here is the first one.")

left, middle, right = st.columns(3)
with left:
    everyone = [show.EVERYBODY, *document["series"]["purposes"]]
    of = show.remembered("of", "Of", [show.ONE_CLIENT, *everyone], default=show.ONE_CLIENT)
with middle:
    name = show.remembered("client", "Client", names) if of == show.ONE_CLIENT else ""
with right:
    what = show.remembered("lines", "Which lines", list(loaders.WHAT), loaders.WHAT)
if of != show.ONE_CLIENT:
    st.query_params.pop("client", None)
elif totals["described"] < totals["clients"]:
    label = "Any other client, by its name: those with the fewest requests are not in the list"
    name = show.typed("other", label, "") or name
whose = loaders.Whose(name or None, None if of in (show.ONE_CLIENT, show.EVERYBODY) else of)
if any(was not in (None, st.query_params.get(key)) for key, was in asked.items()):
    st.query_params.pop("page", None)  # it was a page of other lines

if what in ("violations", "grace") and not document["robots_versions"]:
    st.info("No robots.txt was given, so no line is judged by it. Name the file that was in force when starting:")
    st.code(f"{START} --robots robots.txt", language=None, wrap_lines=True)
    st.stop()
if what == "impostor" and not document["verification"]:
    st.info("Nobody asked whose the addresses are. Name a folder of range lists when starting:")
    st.code(f"loganalyzer ranges fetch --help\n{START} --ranges DIR", language=None, wrap_lines=True)
    st.stop()

page = show.numbered("page", f"Page of {LINES} lines", 1, 1, of=f"{what}-{whose}")
try:
    total, lines = loaders.lines(whose, what, (page - 1) * LINES, LINES)
    whole = questions.saved(whose, what)
except UsageError as error:
    st.error(markdown(loaders.private(str(error))))
    st.stop()
pages = max(1, -(-total // LINES))
show.prose(
    f"{name or of}: {wording.plural(total, 'line')}, {loaders.WHAT[what]}; page {page:,} of {pages:,}, earliest first"
)
if not total:
    st.info("No line of theirs is of this kind: choose other lines, or another client.")
    st.stop()
st.download_button("Save these lines, of all pages", whole, "evidence.txt", "text/plain", on_click="ignore")
if total > questions.MOST_SAVED:
    show.prose(f"The file has the first {questions.MOST_SAVED:,} of {total:,} lines; loganalyzer lines prints all.")
if lines:
    show.copyable("\n".join(inline(f"{place}: {text}") for place, text in lines))
    st.caption("File and line, then the line as it stands there, its time in the zone that it was logged in.")
else:
    st.info("This page is past the last one: choose a smaller number.")
