"""Draft: a new robots.txt as it is written, what is wrong with it, and what it would change on the recorded traffic."""

import streamlit as st

from loganalyzer.dashboard import drafting, drafts, editor, loaders, show
from loganalyzer.errors import UsageError
from loganalyzer.escape import markdown

st.title("Draft")
loaders.document()

hosts = drafts.hosts()
named = show.remembered("host", "Host", list(hosts)) if len(hosts) > 1 else next(iter(hosts), None)
host = None if named is None else hosts[named]
try:
    base = drafts.in_force(host)
except UsageError as error:
    st.error(markdown(loaders.private(str(error))))
    st.stop()
if not hosts:
    st.info("No robots.txt was given, so the draft is held against an empty one. Name the file in force when starting:")
    st.code("loganalyzer dashboard access.log --robots robots.txt", language=None, wrap_lines=True)

draft = editor.draft(base, host)
findings = drafts.mistakes(draft.data)
found = drafts.effect(draft.data, host)

left, right = st.columns([12, 13])
with left:
    st.subheader("The draft", divider="gray")
    drafting.edit(draft, findings)
with right:
    st.subheader("What it would change", divider="gray")
    row = drafting.beside(draft, found)

if row is not None:
    drafting.one(row)
    st.subheader("What it breaks", divider="gray")
    drafting.broken(found)

st.subheader("Mistakes in the draft", divider="gray")
drafting.listed(findings)

st.subheader("Against the file in force", divider="gray")
drafting.changes(draft)

st.subheader("From a policy", divider="gray")
drafting.policy(host)

st.subheader("Rules that are worth their lines", divider="gray")
drafting.suggestions(host)
