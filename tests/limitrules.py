"""Rules of limits as tests write them for servers."""

from loganalyzer.drafts.limits import SERVERS, Limit, Rule

SLOW = Limit("30r/m", 5)
RULES = [
    Rule(SLOW, token="Sample.Bot-2"),
    Rule(SLOW, token="Other_Bot"),
    Rule(Limit("2r/s", 3, at_once=1), token="Third-Bot"),
    Rule(Limit("1r/s", 20, key="address"), token="Fleet"),
    Rule(Limit("30r/m", 5, key="address"), "unnamed"),
]
NETWORKS = [
    Rule(Limit("10r/s", 100, at_once=0, key="network"), "everybody"),
    Rule(Limit("1r/s", key="network"), token="Fleet"),
]
EVERYBODY = [Rule(Limit("10r/s", 100, key="address"), "everybody")]
SETS = {"clients": RULES, "networks": NETWORKS, "everybody": EVERYBODY}


def possible(name, rules):
    """The rules of a set that a server can do."""
    server = SERVERS[name]
    return [rule for rule in rules if rule.limit.key in server.keys and rule.who in server.who]
