"""Search engines that send people, each with the crawler that its index is made by.

The crawler is the one whose robots.txt group decides whether a page stays in the index. DuckDuckGo, Ecosia and Yahoo
show what Bing's crawler fetched, and say so on their help pages. Add an engine by adding its row, with a sample.
"""

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.robots import Policy


@dataclass(frozen=True, slots=True)
class Engine:
    """One engine; `pattern` is RE2 over the host of a referer, without `www.`."""

    name: str
    pattern: str
    tokens: tuple[str, ...]  # of its crawler: names looked up in robots.txt, in order, before `*`
    sample: str  # a referer

    @property
    def policy(self) -> Policy:
        """What the replay has to know of its crawler."""
        return Policy(self.tokens[0], "crawler", self.tokens)


ENGINES: tuple[Engine, ...] = (
    Engine("Google", r"(?:[a-z0-9-]+\.)?google\.(?:com?\.)?[a-z]{2,3}", ("Googlebot",), "https://www.google.co.uk/"),
    Engine("Bing", r"(?:[a-z0-9-]+\.)?bing\.com", ("bingbot",), "https://www.bing.com/search?q=a"),
    Engine("DuckDuckGo", r"(?:html\.|lite\.)?duckduckgo\.com", ("bingbot",), "https://duckduckgo.com/"),
    Engine("Ecosia", r"ecosia\.org", ("bingbot",), "https://www.ecosia.org/"),
    Engine("Yahoo", r"(?:[a-z.]+\.)?search\.yahoo\.com", ("bingbot",), "https://uk.search.yahoo.com/"),
    Engine(
        "Yandex", r"yandex\.(?:com?\.)?[a-z]{2,3}|ya\.ru", ("YandexBot", "Yandex"), "https://yandex.ru/search/?text=a"
    ),
    Engine("Baidu", r"(?:m\.)?baidu\.com", ("Baiduspider",), "https://www.baidu.com/link?url=a"),
    Engine("Qwant", r"(?:lite\.)?qwant\.com", ("Qwantbot",), "https://www.qwant.com/"),
    Engine("Brave", r"search\.brave\.com", ("Bravebot",), "https://search.brave.com/"),
    Engine("Seznam", r"search\.seznam\.cz", ("SeznamBot",), "https://search.seznam.cz/"),
    Engine("Naver", r"(?:m\.)?search\.naver\.com", ("Yeti",), "https://search.naver.com/search.naver?query=a"),
    Engine("Mojeek", r"mojeek\.com", ("MojeekBot",), "https://www.mojeek.com/search?q=a"),
    Engine("ChatGPT", r"chatgpt\.com|chat\.openai\.com", ("OAI-SearchBot",), "https://chatgpt.com/"),
    Engine("Perplexity", r"perplexity\.ai", ("PerplexityBot",), "https://www.perplexity.ai/search/a"),
    Engine("Claude", r"claude\.ai", ("Claude-SearchBot",), "https://claude.ai/"),
)
NO_ENGINE = -1


def engines_of(referers: pa.Array) -> pa.Array:
    """Place in ENGINES of the engine that each referer names (int32), NO_ENGINE for any other."""
    host = pc.struct_field(pc.extract_regex(pc.utf8_lower(referers), r"^https?://(?:www\.)?(?P<host>[^/?#:]+)"), "host")
    found = pa.array([NO_ENGINE] * len(referers), pa.int32())
    for place in range(len(ENGINES) - 1, -1, -1):
        hit = pc.fill_null(pc.match_substring_regex(host, f"^(?:{ENGINES[place].pattern})$"), False)
        found = pc.if_else(hit, pa.scalar(place, pa.int32()), found)
    return found
