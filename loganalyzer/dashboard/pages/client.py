"""One client: who it claims to be, what it kept, how fast it came, what would work, and the lines that prove it."""

import streamlit as st

from loganalyzer.dashboard import charts, frames, loaders, show
from loganalyzer.errors import UsageError
from loganalyzer.escape import inline, markdown
from loganalyzer.reports import facts, wording

LINES = 50

st.title("One client")
document = loaders.document()
names = [client["client"] for client in document["clients"]]
if st.query_params.get("client", names[0]) not in names:
    st.warning("The address names a client that is not in this log; here is the first one.")
name = show.remembered("client", "Client", names)
client = document["clients"][names.index(name)]
robots, backoff, lever = client["robots"], client["backoff"], client["lever"]

show.prose(facts.introduction(client))
for found in document["findings"]:
    if found["client"] == name:
        st.warning(markdown(found["sentence"]))

identity, pace = st.columns(2)
with identity:
    st.subheader("Identity")
    show.facts(facts.identity(client))
with pace:
    st.subheader("Pace")
    show.facts(facts.rates(client))

with st.expander("User agents and addresses"):
    agents, addresses = frames.senders(client)
    show.grid(agents, "agents", "Most frequent user agents")
    show.grid(addresses, "addresses", "Most frequent addresses")
    show.grid(frames.networks(client), "networks", "Most frequent networks")

st.subheader("Etiquette", divider="gray")
rows = frames.etiquette(client)
show.static(rows.select(["verdict", "row", "measured"]))
show.save(rows, "etiquette")

st.subheader("robots.txt", divider="gray")
show.prose(facts.robots(client))
if robots["rules"]:
    show.grid(frames.rules([client]).drop(["client"]), "rules", "Rules of robots.txt that requests of this client met")

if backoff["refusals"]:
    st.subheader("After 429", divider="gray")
    show.prose(facts.refusals(client))
    if backoff["episodes"]:
        st.altair_chart(charts.timeline(backoff["episodes"]), alt="What came in the seconds after each refusal")

if client["automated"]:
    st.subheader("What would work", divider="gray")
    show.prose(lever["title"])
    show.prose(facts.lever(client, document["totals"]))
    if lever["text"]:
        show.copyable(lever["text"])

st.subheader("Lines", divider="gray")
known = [name for name in loaders.WHAT if name != "impostor" or document["verification"]]
what = show.remembered("lines", "Which lines", known, loaders.WHAT)
page = int(st.number_input("Page", min_value=1, value=1, key=f"page-{what}-{names.index(name)}"))
try:
    total, lines = loaders.lines(name, what, (page - 1) * LINES, LINES)
except UsageError as error:
    st.error(markdown(loaders.private(str(error))))
    st.stop()
show.prose(f"{wording.plural(total, 'line')}; page {page:,} of {max(1, -(-total // LINES)):,}")
if lines:
    show.copyable("\n".join(inline(f"{place}: {text}") for place, text in lines))
