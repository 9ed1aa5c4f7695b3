"""Checks of groups: who is bound by which rules, and which rule decides."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from loganalyzer.robots.file import EVERYBODY, Binding
from loganalyzer.robots.lint.check import Check, Mark, keys, value, whole
from loganalyzer.robots.lint.escapes import bans, escaped
from loganalyzer.robots.lint.overlaps import beaten_by_length, needless_allows, redundant
from loganalyzer.robots.lint.source import Source
from loganalyzer.robots.match import Rule

OK = "User-agent: *\nDisallow: /x\n"
EVERYTHING = ("/", "/*", "*")
SHOWN, PASTED = 3, 20  # escaped rules that a sentence names, and that are given to paste


def _restricts(binding: Binding) -> bool:
    return any(not rule.allow for rule in binding.rules)


def _own_group(source: Source) -> Iterator[Mark]:
    # That a name is let in where * is shut out is what a group of its own is for.
    rules = bans(source, but=EVERYTHING)
    names = [name for name, binding in source.bindings.items() if name != EVERYBODY and _restricts(binding)]
    for name, places in escaped(source, rules, names).items():
        if len(places):
            line, free = source.names[name], [source.line(rules[place]) for place in places[:PASTED]]
            more = f" and {len(places) - SHOWN:,} more" if len(places) > SHOWN else ""
            paste = "\n".join((line.text.strip(), *(rule.text.strip() for rule in free)))
            yield value(line, paste, paths=", ".join(rule.value for rule in free[:SHOWN]) + more)


def _allow_only(source: Source) -> Iterator[Mark]:
    for name, binding in source.bindings.items():
        lines = [source.line(rule) for rule in binding.rules]
        if lines and not _restricts(binding) and all(line.value not in EVERYTHING for line in lines):
            first = min(lines, key=lambda line: line.number)
            yield value(first, f"{first.text.strip()}\nDisallow: /", name=source.names[name].value)


def _homeless(source: Source) -> Iterator[Mark]:
    first = min((group.line for group in source.robots.groups), default=len(source.lines) + 1)
    for line in source.rules:
        if line.number < first:
            yield whole(line, f"User-agent: *\n{line.text.strip()}")


def _not_closed(source: Source) -> Iterator[Mark]:
    """In each group the last user-agent line that joins names above, though another record stands between them."""
    for group in source.robots.groups:
        lines = [line for line in source.span(group) if line.key]
        names = [place for place, line in enumerate(lines) if line.key == "user-agent"]
        joins = [place for place in names[1:] if lines[place - 1].key != "user-agent"]
        if joins and group.rules:
            above = ", ".join(lines[place].value for place in names if place < joins[-1])
            line, rule = lines[joins[-1]], source.line(group.rules[0]).text.strip()
            yield value(line, f"Disallow:\n\n{line.text.strip()}", names=above, rule=rule)


def _empty_disallow(source: Source) -> Iterator[Mark]:
    for line in source.by_key["disallow"]:
        group = source.group_of(line)
        if line.value or not group:
            continue
        others = [rule for rule in group.rules if rule.pattern.length and not rule.allow]
        if others:
            yield whole(line, None, effect="the other rules of the group still count")
        elif EVERYBODY not in group.names:  # for everybody it is the usual way to say so
            yield whole(line, "Disallow: /", effect=f"{group.names[0]} may fetch everything")


def _order(source: Source) -> Iterator[Mark]:
    """In each group the first rule that readers who stop at the first match would never reach."""
    for group in source.robots.groups:
        widest: Rule | None = None
        for rule in group.rules:
            path = source.line(rule).value
            if widest and widest.allow != rule.allow and path.startswith(source.line(widest).value.rstrip("*")):
                yield value(source.line(rule), None, other=widest.line)
                break
            if path in EVERYTHING and widest is None:
                widest = rule


def _once_each(source: Source, pairs: Iterator[tuple[Rule, Rule]]) -> Iterator[Mark]:
    told: set[int] = set()
    for rule, other in pairs:
        if rule.line not in told:
            told.add(rule.line)
            yield value(source.line(rule), None, other=other.line, path=source.line(other).value)


def _by_path(binding: Binding) -> Iterator[Sequence[Rule]]:
    same: dict[object, list[Rule]] = defaultdict(list)
    for rule in sorted(binding.rules, key=lambda rule: rule.line):
        same[rule.pattern].append(rule)
    return (rules for rules in same.values() if len(rules) > 1)


def _contradictions(source: Source) -> Iterator[Mark]:
    pairs = (
        (no, next(yes for yes in rules if yes.allow))
        for binding in source.bindings.values()
        for rules in _by_path(binding)
        if any(rule.allow for rule in rules)
        for no in rules
        if not no.allow
    )
    return _once_each(source, pairs)


def _duplicates(source: Source) -> Iterator[Mark]:
    pairs = (
        (rule, first)
        for binding in source.bindings.values()
        for rules in _by_path(binding)
        for first in rules[:1]
        for rule in rules[1:]
        if rule.allow == first.allow
    )
    return _once_each(source, pairs)


def _redundant(source: Source) -> Iterator[Mark]:
    return _once_each(source, (pair for binding in source.bindings.values() for pair in redundant(binding.rules)))


def _beaten(source: Source) -> Iterator[Mark]:
    return _once_each(
        source, (pair for binding in source.bindings.values() for pair in beaten_by_length(binding.rules))
    )


def _needless(source: Source) -> Iterator[Mark]:
    # A group that only allows some paths is told of by allow-only.
    told = {mark.line.number for mark in _allow_only(source)}
    for binding in source.bindings.values():
        for rule in needless_allows(binding.rules):
            if rule.line not in told and (_restricts(binding) or source.line(rule).value in EVERYTHING):
                told.add(rule.line)
                yield value(source.line(rule))


def _all_closed(source: Source) -> Iterator[Mark]:
    binding = source.bindings.get(EVERYBODY)
    if binding and not any(rule.allow for rule in binding.rules):
        for rule in binding.rules:
            if source.line(rule).value in EVERYTHING:
                yield value(source.line(rule))
                return


def _several_groups(source: Source) -> Iterator[Mark]:
    for line in source.names.values():
        if len(groups := source.robots.binding(line.value).groups) > 1:
            second = source.line(groups[1])
            lines = (name for name in source.span(groups[1]) if name.key == "user-agent")
            key = source.robots.own_group(line.value)
            again = next((name for name in lines if source.robots.own_group(name.value) == key), second)
            yield value(again, None, first=groups[0].line)


def _gaps(source: Source) -> Iterator[Mark]:
    """The first blank line of each group that has names above and a rule below."""
    for group in source.robots.groups:
        span = source.span(group)
        if blank := next((line for line in span if not line.text.strip()), None):
            below = next((line for line in span if line.number > blank.number and line.text.strip()), None)
            if below:
                yield whole(below)


def _no_rule(source: Source) -> Iterator[Mark]:
    if not any(source.rules):
        yield whole(source.lines[0], "User-agent: *\nDisallow:")


CHECKS = (
    Check(
        number=1, code="own-group-escapes-star", level="error", title="an own group sets * aside",
        says="{value} obeys only its own group: what * forbids does not bind it, so it may fetch {paths}. Repeat those "
        "rules here",
        source="RFC 9309 section 2.2.1; Google; Bing", find=_own_group,
        bad="User-agent: *\nDisallow: /admin/\n\nUser-agent: RakeBot\nDisallow: /tmp/\n",
        good="User-agent: *\nDisallow: /admin/\n\nUser-agent: RakeBot\nDisallow: /admin/\nDisallow: /tmp/\n",
    ),
    Check(
        number=2, code="allow-only", level="error", title="a group that only allows",
        says="without a Disallow {name} may fetch everything, not only {value}",
        source="RFC 9309 section 2.2.2", find=_allow_only,
        bad="User-agent: RakeBot\nAllow: /blog/\n", good="User-agent: RakeBot\nAllow: /blog/\nDisallow: /\n",
    ),
    Check(
        number=3, code="rule-before-group", level="error", title="a rule before any User-agent", once=True,
        says="the line belongs to no group and is ignored", source="RFC 9309 section 2.2.2; Yandex; Lighthouse",
        find=_homeless, bad="Disallow: /x\nUser-agent: *\nDisallow: /y\n", good=OK,
    ),
    Check(
        number=4, code="group-not-closed", level="error", title="two groups that are one",
        says="nothing but Allow and Disallow ends a group: {names} and {value} share the rules below, beginning with "
        "`{rule}`",
        source="RFC 9309 section 2.2.4; google/robotstxt#51", find=_not_closed,
        bad="User-agent: *\nCrawl-delay: 10\n\nUser-agent: RakeBot\nDisallow: /\n",
        good="User-agent: *\nCrawl-delay: 10\nDisallow:\n\nUser-agent: RakeBot\nDisallow: /\n",
    ),
    Check(
        number=23, code="empty-disallow", level="warning", title="an empty Disallow",
        says="it blocks nothing: {effect}. To block, write `Disallow: /`", source="RFC 9309 section 2.2.2",
        find=_empty_disallow, bad="User-agent: RakeBot\nDisallow:\n", good="User-agent: RakeBot\nDisallow: /\n",
    ),
    Check(
        number=24, code="empty-allow", level="warning", title="an empty Allow",
        says="it matches nothing and is ignored", source="Google, robots.txt specification",
        find=lambda source: (mark for mark in keys("allow")(source) if not mark.line.value),
        bad=OK + "Allow:\n", good=OK + "Allow: /x/y\n",
    ),
    Check(
        number=25, code="order", level="warning", title="the order of rules counts for nothing",
        says="the longest match wins and Allow wins ties, wherever they stand; an old reader that takes the first "
        "match stops at line {other}: put the narrower rules above it for those",
        source="RFC 9309 section 2.2.2", find=_order,
        bad="User-agent: *\nDisallow: /\nAllow: /pub/\n", good="User-agent: *\nAllow: /pub/\nDisallow: /\n",
    ),
    Check(
        number=26, code="allowed-and-disallowed", level="warning", title="the same path allowed and disallowed",
        says="Allow wins (line {other}): this line does nothing", source="RFC 9309 section 2.2.2", find=_contradictions,
        bad="User-agent: *\nAllow: /a\nDisallow: /a\n", good="User-agent: *\nAllow: /a\nDisallow: /ab\n",
    ),
    Check(
        number=27, code="changes-nothing", level="warning", title="a rule that changes nothing",
        says="line {other} ({path}) already decides the same of every path that this one matches",
        source="RFC 9309 section 2.2.2", find=_redundant,
        bad="User-agent: *\nDisallow: /shop\nDisallow: /shop/cart\n",
        good="User-agent: *\nDisallow: /shop\nAllow: /shop/c\nDisallow: /shop/cart\n",
    ),
    Check(
        number=28, code="length-decides", level="warning", title="a wildcard rule wins by its length",
        says="where both match, this rule beats line {other} ({path}) because it is longer: * and $ count too",
        source="RFC 9309 section 2.2.2; Google, order of precedence", find=_beaten,
        bad="User-agent: *\nAllow: /page\nDisallow: /*.htm\n",
        good="User-agent: *\nAllow: /pages/\nDisallow: /*.htm\n",
    ),
    Check(
        number=60, code="site-closed", level="warning", title="the whole site is closed",
        says="every crawler without a group of its own is shut out of everything: left over from staging?",
        source="Lighthouse", find=_all_closed, bad="User-agent: *\nDisallow: /\n", good=OK,
    ),
    Check(
        number=61, code="several-groups", level="info", title="one name in several groups",
        says="the groups are taken together (the first is at line {first}); some readers use only the first",
        source="RFC 9309 section 2.2.1; Yandex", find=_several_groups,
        bad="User-agent: RakeBot\nDisallow: /a\n\nUser-agent: rakebot\nDisallow: /b\n",
        good="User-agent: RakeBot\nDisallow: /a\nDisallow: /b\n",
    ),
    Check(
        number=62, code="duplicate-rule", level="info", title="the same rule twice",
        says="the same as line {other}: remove one", source="RFC 9309 section 2.2.2", find=_duplicates,
        bad=OK + "Disallow: /x\n", good=OK,
    ),
    Check(
        number=63, code="blank-line-in-group", level="warning", title="a blank line inside a group", once=True,
        says="harmless by the standard; old readers (urllib.robotparser, Yandex's checker) end the group at the blank "
        "line above",
        source="RFC 9309 section 2.2 (emptyline); Yandex", find=_gaps,
        bad="User-agent: *\n\nDisallow: /x\n", good=OK,
    ),
    Check(
        number=68, code="needless-allow", level="info", title="Allow for what nothing forbids",
        says="no Disallow of this group is as short and reaches here: the line changes nothing",
        source="RFC 9309 section 2.2.2", find=_needless,
        bad="User-agent: *\nAllow: /\n", good="User-agent: *\nDisallow: /a\nAllow: /a/b\n",
    ),
    Check(
        number=70, code="no-rule", level="info", title="no rule at all",
        says="everything is allowed to everybody; say so, and nobody has to wonder", source="RFC 9309 section 2.2.1",
        find=_no_rule, bad="# nothing yet\n", good="User-agent: *\nDisallow:\n",
    ),
)  # fmt: skip
