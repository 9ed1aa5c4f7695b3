"""One client: who it claims to be, what it kept, how fast it came, what would work, and the lines that prove it."""

import streamlit as st

from loganalyzer.dashboard import loaders, portrait, show
from loganalyzer.escape import markdown
from loganalyzer.reports import facts

st.title("One client")
document = loaders.document()
names = [client["client"] for client in document["clients"]]
if st.query_params.get("client", names[0]) not in names:
    st.warning("The address names a client that is not in this log; here is the first one.")
name = show.remembered("client", "Client", names)
client = document["clients"][names.index(name)]

show.prose(facts.introduction(client))
for found in document["findings"]:
    if found["client"] == name:
        st.warning(markdown(found["sentence"]))
portrait.over_time(client)

tabs = portrait.parts()
with tabs["Identity"]:
    portrait.identity(client)
with tabs["Etiquette"]:
    portrait.etiquette(client)
with tabs["robots.txt"]:
    portrait.robots(client, document)
with tabs["After 429"]:
    portrait.refusals(client)
with tabs["Pace"]:
    portrait.pace(client)
with tabs["Addresses"]:
    portrait.addresses(client, tabs["Addresses"].open)
with tabs["What would work"]:
    portrait.lever(client, document)
with tabs["Lines"]:
    portrait.lines(client, document)
