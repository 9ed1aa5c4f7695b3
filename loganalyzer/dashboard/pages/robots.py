"""robots.txt: its versions, how it was answered, and the rules that requests met."""

import streamlit as st

from loganalyzer.dashboard import charts, draftframes, drafts, frames, loaders, show
from loganalyzer.errors import UsageError
from loganalyzer.escape import markdown
from loganalyzer.reports import changes, definitions, facts, mistakes

MISTAKES = 10  # shown of each file; the table to save has all
MET = {"rule": 130, "where it stands": 165, "decision": 72, "requests": 72, "bytes": 76}

st.title("robots.txt")
document = loaders.document()

show.prose(facts.robots_in_all(document))
if document["totals"]["first"] and (document["robots_versions"] or document["robots_answers"]):
    alt = "Which robots.txt was in force when, and how /robots.txt was answered"
    show.chart(charts.strip(document), alt=alt)

if document["robots_versions"]:
    st.subheader("Versions in force", divider="gray")
    show.grid(frames.versions(document), "versions", "Versions of robots.txt and since when each was in force")
else:
    st.info("No robots.txt was given, so no client is judged by it. Name the file that was in force when starting:")
    st.code("loganalyzer dashboard access.log --robots robots.txt", language=None, wrap_lines=True)

st.subheader("Rules that were met", divider="gray")
clients = [client for client in document["clients"] if client["robots"]["rules"]]
if clients:
    row = show.grid(frames.rules(clients), "ledger", "Rules that requests met, by client", True, MET)
    st.caption("Choose a row to open that client with its lines.")
    if row is not None:
        met = [(client["client"], rule["decision"]) for client in clients for rule in client["robots"]["rules"]][row]
        what = "violations" if met[1] == "violation" else "grace"
        show.open_client(met[0], what)
else:
    st.info("No request met a rule that forbids it.")

if hosts := drafts.hosts():
    st.subheader("Mistakes in the file in force", divider="gray")
    name = show.remembered("host", "Host", list(hosts)) if len(hosts) > 1 else next(iter(hosts))
    try:
        findings = drafts.mistakes(drafts.in_force(hosts[name]))
    except UsageError as error:
        st.error(markdown(loaders.private(str(error))))
        st.stop()
    show.prose(f"{name}: {mistakes.counted(findings)}")
    if findings:
        show.static(draftframes.mistakes(findings[:MISTAKES]).drop(["as it stands", "instead"]))
        show.save(draftframes.mistakes(findings), "mistakes")
    if st.button("Mend it in a draft", key="mend"):
        st.switch_page(show.page("draft"), query_params={"host": name})

if (respelt := frames.respelt(document)).num_rows:
    st.subheader("No violations as sent, but forbidden if the server reads paths freely", divider="gray")
    show.grid(respelt, "respelt", "Requests that escape a rule by their spelling, by client")

if document["robots_changes"]:
    st.subheader("What came of each change", divider="gray")
    for change in document["robots_changes"]:
        show.prose(" ".join(changes.sentences(change)))
    show.grid(frames.changes(document), "changes", "Requests before and after each change of robots.txt, by client")

st.subheader("How /robots.txt was answered", divider="gray")
if document["robots_answers"]:
    show.grid(frames.answers(document), "answers", "Runs of equal answers to /robots.txt")
else:
    st.info("Nobody asked for /robots.txt in this log.")

st.subheader("What the words mean", divider="gray")
show.facts(definitions.ROBOTS)
