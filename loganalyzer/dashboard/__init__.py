"""The dashboard: pages over the same Analysis as the command line; it computes nothing.

To add a page, write `pages/NAME.py` (title, guard, load, show; at most 80 lines) and its line in PAGES. Log text is
shown by `show` and `frames` only, never as Markdown or HTML.
"""

# Section -> page file -> title; the first page opens first.
PAGES = {
    "Traffic": {"overview": "Overview", "clients": "Clients", "client": "One client"},
    "Etiquette": {"robots": "robots.txt", "refusals": "After 429", "draft": "Draft", "limits": "Limits"},
    "Log": {"evidence": "Evidence", "inputs": "Inputs"},
}
