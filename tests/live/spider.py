"""A Scrapy spider that follows every link of one site; the rest are Scrapy's own settings."""

import scrapy


class Spider(scrapy.Spider):
    name = "live"

    def __init__(self, site, **rest):
        super().__init__(**rest)
        self.start_urls = [site]

    def parse(self, response):
        if b"html" in response.headers.get("Content-Type", b""):
            yield from response.follow_all(css="a")
