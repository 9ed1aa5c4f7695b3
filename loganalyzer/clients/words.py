"""What single words say: browsers, platforms, clients' trades. Data first; the questions asked of it at the end.

Everything is folded to lower case. To teach a word, add it to its table and a user agent to the tests.
"""

import re


def _table(*lines: str) -> frozenset[str]:
    return frozenset(" ".join(lines).split())


# Engines and browsers, as they stand in front of a "/": the body of a header that is not its name.
ENGINES = _table(
    "mozilla applewebkit webkit khtml gecko goanna servo presto trident chrome chromium safari version mobile firefox",
    "opera msie like",
)
SYSTEMS = _table("ubuntu debian fedora gnome suse mint centos kubuntu gentoo arch")
BROWSERS = ENGINES | _table(
    # desktop
    "edg edge edga edgios opr opt opios opx crios fxios seamonkey iceweasel icecat iceape minefield namoroka",
    "shiretoko granparadiso bonecho palemoon waterfox basilisk k-meleon camino netscape navigator netscape6 phoenix",
    "firebird konqueror epiphany galeon midori qupzilla falkon vivaldi brave iron chromeplus comodo_dragon dragon",
    "icedragon sleipnir lunascape avant maxthon mxbrowser myie2 theworld tencenttraveler qqbrowser qqbrowserlite",
    "2345explorer lbbrowser metasr se slbrowser sogoumobilebrowser sogousearch saayaa bidubrowser baidubrowser",
    "baiduboxapp coc_coc_browser sznprohlizec whale yabrowser yowser amigo iridium orca flock arora rekonq otter",
    "dooble omniweb icab shiira sunrise stainless odyssey owb ibrowse amigavoyager aweb netpositive webpositive",
    "netsurf dillo hotjava qtwebengine qtcarbrowser qtwebkit kubuntu",
    "swiftfox conkeror uzbl surf luakit qutebrowser nintendobrowser playstation ekioh ekiohflow nf-browser espial",
    "steam gamescope ninesky-android-mobile jasmine",
    "qihu 360se",
    # text
    "lynx links elinks w3m retawq libwww-fm ssl-mm gnutls openssl",
    # mobile
    "iemobile edgw ucbrowser ucweb ubrowser u2 u3 ucmini samsungbrowser huaweibrowser hbpc miuibrowser vivobrowser",
    "heytapbrowser oppobrowser oculusbrowser duckduckgo ddg gsa focus klar rocket silk silk-accelerated puffin",
    "dolphin dolfin skyfire teashark boat mercury obigo obigointernetbrowser teleca netfront novarra polaris",
    "semc-browser up.browser up.link blazer minimo fennec bolt maui jbrowser openwave nokiabrowser browserng",
    "s40ovibrowser 3gpp-gba profile configuration untrusted dalvik blackberry mobilesafari aloha alohabrowser phx",
    "ecosia kiwi hawk quickbrowser cloudbrowser ninja naver whaleai mqqbrowser tbs",
    "songbird rockmelt turkcell-tr amiga-aweb voyager3 aol adg aolbuild",
    # native applications around a browser engine
    "fban fbav fb_iab fbios instagram messenger snapchat line kakaotalk micromessenger weixin qq nettype language",
    "ms-office msoffice outlook-express outlook-ios thunderbird lightning postbox viber musical_ly",
    "bytedancewebview trill jssdk channel appname app_version bytelocale bytefulllocale region app_skin",
    "barcelona twitter linkedinapp webview wv whatsapp_web alipayclient aliapp alipaydefined windvane",
    "dingtalk miniprogramenv xweb mmwebsdk mmwebid weibo viber telegram-android abi cordova mobicip gmscore hmscore",
    "electron nwjs nw.js atom code slack teams discord dv mma mmp msiecrawler fink mms build release pubs",
    "webappmanager hbbtv",
)
# These end the name in front of them even without a version: `Better Uptime Bot Mozilla/5.0`.
ENGINE_ALONE = ENGINES - {"like", "version", "opera"} | {"brave", "ubuntu", "tablet"}
# Phones that put their model first.
_PHONE_PROFILE = (
    *("profile/midp", "configuration/cldc", "up.browser/", "semc-browser/", "obigo", "(maui/", "wap browser"),
)
_RUNTIME = "dalvik/"  # of native applications, which may write their name behind it
_APPLICATIONS = ("microsoft office", "microsoft outlook", "onebrowser", "ncsa_mosaic")
_PHONE = re.compile(
    r"ip(?:hone|ad|od)\d|docomo|kddi-|j-phone|softbank|vodafone|nokia|sonyericsson|samsung-|sec-|lge?-|mot-|sharp-tq|zte-|htc[-_]"
)

# First words of segments that describe a device, a system or a language.
PLATFORMS = _table(
    "windows win win16 win32 win64 win95 win98 win9x winnt macintosh mac macos ppc powerpc intel linux x11 wayland u",
    "i n android iphone ipad ipod ipod-touch cpu mobile tablet msie trident wow64 x64 x86 x86_64 arm arm64 arm_64",
    "arm7 armv7l armv8l aarch64 amd64 i386 i486 i586 i686 ia64 sparc ppc64 cros freebsd openbsd netbsd dragonfly",
    "sunos solaris aix hp-ux irix irix64 osf1 beos haiku os/2 morphos amigaos amiga aros ubuntu debian fedora gentoo",
    "arch slcc1 slcc2 .net .net4.0c .net4.0e media infopath infopath.1 infopath.2 infopath.3 touch tablet khtml",
    "blackberry bb10 symbian symbianos series60 series40 nokia playstation nintendo xbox smart-tv smarttv tizen web0s",
    "webos hpwos kaios wv rv rv: unknown konqueror masp masa masm masb mdds mddr mddc maau matp mara mafs malc malcjs",
    "asu2js njb hpdtdf hpntdf lcjb lcte tnjb gtb gtb6 gtb7 gtb7.4 ms-rtc officelivepatch officeliveconnector zune",
    "chromeframe embedded aol america avant mrsputnik mra funwebproducts sv1 ie iemobile edge gecko darwin cfnetwork",
    "watchos tvos ios fuchsia harmonyos openharmony sailfish meego maemo palm palmos danger brew midp-2.0 profile",
    "j2me opera kfapwi fire crkey aft windows-nt compatible msiecrawler",
)
_LANGUAGE = re.compile(r"[a-z]{2,3}([-_][a-z]{2,4}){0,2}")
_MISSPELT = re.compile(r"(?!mozilla)m[oz]{1,3}[il]{2,5}a", re.IGNORECASE)  # of programs; browsers spell it right
_BROWSER_WORD = re.compile(r"(?:browser|webview|navigator)(?![a-z])", re.IGNORECASE)
_HASH = re.compile(r"(?=[a-f]*\d)[0-9a-f]{7,40}|gtb[\d.]+")
_TAIL = re.compile(rf"{_HASH.pattern}|[a-z]{{2}}[-_][a-z]{{2}}")  # of a build, not of a name: `2014-02-16 6ee2b9e`
_LANGUAGE_SHORT = re.compile(r"[a-z]{2}([-_][a-z]{2})?")
_PLATFORM_INSIDE = ("build/", "like mac os x", "linux ", "windows nt", "mac os x", "android ", "msie ")
_NOISE = re.compile(
    r"like\b.*"
    r"|\d+ (?:sub|read|user|fan)s?\w*|feed-?id\W.*|users? \d+.*|.{0,40}\bsubscribers?\b.*|rv:.*|[\d.,x:]+"
    r"|[^\w\x01]*"  # \x01 is grammar.CONTACT
)

# Never a name by itself: too general to be found in a robots.txt or to be told from another.
GENERIC = _table(
    "bot bots robot robots crawler crawlers spider agent user-agent useragent compatible http https www web the and",
    "java-vm mailto report ref treat powered null none unknown undefined - version build test like app mobile desktop",
    "client browser compatible html xhtml text feed rss appid read-only rate-limited linux-gnu gzip",
    "com net org gmail.com alpha beta nightly stable",
)
# A trade word that is too general beside others still names a whole header: `Spider/2.0`.
NAMES_ALONE = frozenset(
    {"spider", "crawler", "webcrawler", "robot", "bot", "feed", "rss", "browser", "client", "agent", "test"}
)

PROSE = _table(
    "the of and is are to our this your it its in on with please visit see contact about if you we be has have or",
    "from which that was by for via stop info mailto email e-mail website site: dot at using based a an as not how",
    "more rules instructions own stuff information used",
)
_CUT_AT = frozenset({"like", "or", "by", "for", "from", "at", "via", "(", "using", "powered", "please", "contact"})

ATTACKS = (
    "${", "() {", "<?php", "<script", "union select", "union all select", "' or ", "\" or ", "sleep(", "waitfor delay",
    "benchmark(", "../..", "/etc/passwd", "/bin/sh", "wget http", "curl http", "eval(", "base64_", "xp_cmdshell",
    "\x1b[", "onerror=", "{{", "cmd|", "@sum(",
)  # fmt: skip

# "bot" is a word only where no letter follows, and never in a Cubot phone: Caboto, CUBOT, XBot Junior are no robots.
STRONG = re.compile(r"(?<!cu)bots?(?![a-z])|crawl|spider|slurp|scraper|scrapy|robot|spyder|archiver", re.IGNORECASE)
WEAK = re.compile(
    r"fetch|monitor|scan|preview|feed|check|reader|rss|agent|index|search|link|seo|validat|proxy|download|archiv"
    r"|harvest|inspect|probe|uptime|health|import|sync|podcast|parser|webhook|survey|research|audit|test|analy[sz]",
    re.IGNORECASE,
)

# HTTP libraries: a name in front of or behind theirs is the client's own. Those with facts are in the registry.
LIBRARIES = _table(
    "python-requests python-urllib python-httpx aiohttp httpx urllib urllib3 go-http-client okhttp java",
    "apache-httpclient jakarta node-fetch axios undici got libwww-perl",
    "lwp-trivial lwp lwp::simple http.rb guzzlehttp guzzle curl",
    "wget libcurl libcurl-agent pycurl php-curl-class cfnetwork winhttp wininet reqwest hyper ureq rest-client",
    "restsharp faraday httparty typhoeus mechanize www-mechanize httpclient java-http-client jetty",
    "apache-httpasyncclient commons-httpclient snoopy scrapy colly requests zend_http_client http_request2 httpunit",
    "jsdom happydom htmlunit dart symfony superagent needle crawler4j jsoup open-uri aria2 httpie xh fasthttp",
)
# Below a library: what it stands on.
FOUNDATIONS = _table(
    "python cpython pypy java jdk openjdk ruby perl php node node.js nodejs go linux darwin cfnetwork zlib libcurl",
    "openssl nss libidn libidn2 libssh2 nghttp2 windows macos ios iphone os watchos tvos android ubuntu debian curl",
    "dart:io",
    "ipv6 krb4 gssapi wininet alamofire unix x86_64 amd64 fedora centos gentoo hwp model build linux-gnu gzip brotli",
)
# Fetchers on behalf of a named application: the proxy is the client, whatever name is handed on.
PROXIES = frozenset({"appengine-google", "googleimageproxy"})
AUTOMATION = ("headless", "phantomjs", "playwright", "puppeteer", "selenium", "webdriver", "cypress")

# (words of the name, kind, purpose), first hit wins; only for names that the registry does not know.
TRADES = tuple(
    (re.compile(pattern, re.IGNORECASE), kind, purpose)
    for pattern, kind, purpose in (
        (r"-user$|-on-behalf-of-", "user-triggered", "user-fetch"),
        (r"\bapt-http|urlgrabber|libfetch|libdnf", "tool", None),
        (r"simplepie|magpierss|feedparser", "library", None),
        (r"preview|unfurl|embed|link-?expand|oembed|thumbnail", "preview", "preview"),
        (r"feed|\brss|rss(?![a-z])|podcast|podcatch|newsreader", "feed-reader", "feed"),
        (r"uptime|monitor|health-?check|synthetic|pingdom|statuspage|heartbeat|watchdog", "monitor", "monitoring"),
        (r"scanner|scanning|vuln|nmap|nuclei|security|pentest|masscan|nikto|sqlmap", "scanner", "security"),
        (r"backlink|seo(?=bot|[^a-z]|$)|\bseo|serp|site.?audit", "crawler", "seo"),
        (r"archiv|heritrix|webrecorder|wayback", "crawler", "archive"),
        (r"adsbot|adbot|ads?\.?txt|adverti[sz]", "crawler", "ads"),
        (r"research|academic|university|corpus", "crawler", "research"),
        (r"search|indexer", "crawler", "search"),
        (STRONG.pattern, "crawler", None),
    )
)


def begins_as_browser(text: str) -> bool:
    """Whether a header begins as browsers do, or describes a phone of before the smart ones."""
    folded = text.casefold()
    first = folded.lstrip("(; ").partition(" ")[0].partition("/")[0].partition("(")[0]
    return (
        first in BROWSERS
        or is_misspelt(first)
        or _PHONE.match(first) is not None
        or folded.startswith(_APPLICATIONS)
        or is_phone(folded)
        or (" applewebkit/" in folded and first.rstrip(";)") in PLATFORMS)  # cut at its front
    )


def is_phone(folded: str) -> bool:
    """Whether a header describes a phone of before the smart ones."""
    return any(mark in folded for mark in _PHONE_PROFILE)


def is_runtime(folded: str) -> bool:
    """Whether a header begins with what runs applications, so that a name behind it is no browser's."""
    return folded.startswith(_RUNTIME)


def is_browser(name: str) -> bool:
    """Whether a product of this name is a browser, an engine or an application around one, or a system."""
    folded = name.casefold()
    return folded in BROWSERS or folded in SYSTEMS or _PHONE.match(folded) is not None or is_misspelt(name)


def is_misspelt(name: str) -> bool:
    """Whether somebody meant Mozilla, and is no browser: `Mozila`, `Mozlila`."""
    return _MISSPELT.fullmatch(name) is not None


def is_engine(name: str) -> bool:
    """Whether the word ends a name even without a version: `Better Uptime Bot Mozilla/5.0`."""
    return name.casefold() in ENGINE_ALONE


def is_platform(folded: str) -> bool:
    """Whether a segment of a comment describes a device, a system or a language."""
    return (
        (first := folded.split(maxsplit=1)[0].partition("/")[0].rstrip(":,")) in PLATFORMS
        or first == "java"  # a phone's, or what a library runs on; alone it is a client
        or _LANGUAGE.fullmatch(folded) is not None
        or any(mark in folded for mark in _PLATFORM_INSIDE)
    )


def is_plain_tail(name: str) -> bool:
    """Whether an unversioned name at a browser's end is a vendor's mark (`LBBROWSER`, `CTV`) rather than a client's."""
    return name.upper() == name or _BROWSER_WORD.search(name) is not None


def is_noise(folded: str, inside: bool) -> bool:
    """Whether a segment can hold no name: what it is like, how many subscribers, numbers; inside, a language."""
    return _NOISE.fullmatch(folded) is not None or (inside and _LANGUAGE_SHORT.fullmatch(folded) is not None)


def is_never(name: str, slashed: bool) -> bool:
    """Whether a name is a browser's or platform's, or says nothing; `slashed` where a version follows it."""
    folded = name.casefold()
    first, *others = folded.split()
    if first in BROWSERS and not (STRONG.search(folded) or (slashed and others)):  # `Fink Community Edition`
        return True
    if all(word in PROSE for word in (first, *others)) or prose_words(name) > 1:
        return True
    if "=" in name or name.startswith("-") or _HASH.fullmatch(folded) or (others and _TAIL.fullmatch(others[-1])):
        return True
    if slashed and folded in _APPLICATIONS:
        return True
    return not others and (first in PLATFORMS or first in SYSTEMS or (first in GENERIC and first not in NAMES_ALONE))


def is_beside(name: str) -> bool:
    """Whether a product speaks for the one in front of it: a trade, or what that stands on (`Quarry/1.0 Ruby/3.2`)."""
    return is_general(name) or name.casefold() in FOUNDATIONS


def is_general(name: str) -> bool:
    """Whether a name is a trade and no more: `crawler`. It counts only where nothing better stands beside it."""
    return name.casefold() in NAMES_ALONE


def without_prose(run: list[str]) -> list[str]:
    """Cut a run of words where a name ends and a sentence or a nickname begins."""
    if run and run[0].casefold() == "like":
        return []
    if run and run[0].casefold() == "compatible":  # `Mozilla/4.0 compatible ZyBorg/1.0`
        run = run[1:]
    run = [word for word in run if not word.startswith("~")]  # a remark, as in `Rulz ~LenovoG780`
    for at, word in enumerate(run):
        if at and (word.casefold() in _CUT_AT or word.casefold().startswith(("feed-id", "'"))):
            return run[:at]
    return run


def is_automation(name: str) -> bool:
    """Whether a name is that of a browser which a program drives."""
    return any(word in name.casefold() for word in AUTOMATION)


def is_below(name: str) -> bool:
    """Whether a name is that of what others are built on: a library, or what that stands on."""
    return is_library(name) or name.casefold() in FOUNDATIONS


def lists_parts(name: str) -> bool:
    """Whether a library names all that it was built with behind itself: `curl/8.5 zlib/1.3 brotli/1.1 zstd/1.5`."""
    return name.casefold() in ("curl", "libcurl", "pycurl")


def is_library(name: str) -> bool:
    """Whether a name is an HTTP library's: what uses it goes by another."""
    return name.casefold().rpartition(" ")[2] in LIBRARIES


def prose_words(name: str) -> int:
    """How many words of the name, belong to sentences; a leading `The` is a name's."""
    return sum(word in PROSE for word in name.casefold().removeprefix("the ").split())


def trade(name: str) -> tuple[str | None, str | None]:
    """Kind and purpose as far as the words of an unknown name say."""
    if is_below(name):
        return "library", None
    return next(((kind, purpose) for pattern, kind, purpose in TRADES if pattern.search(name)), (None, None))
