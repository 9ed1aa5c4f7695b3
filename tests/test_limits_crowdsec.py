"""CrowdSec takes the scenarios, and bans whom they say; it asks nobody outside."""

import os
import re
import shutil
import tempfile
from pathlib import Path

import pytest
from limitrules import EVERYBODY, RULES
from servers import free_port, run

from loganalyzer.drafts.limits import Limit, Rule, snippet

CROWDSEC = Path(os.environ.get("CROWDSEC_ROOT", "/"))  # where Debian's package is installed, or only unpacked
HUB = CROWDSEC / "usr/share/crowdsec/hub"
CROWDSEC_CONF = """
common: {{daemonize: false, log_media: stdout, log_dir: {folder}, working_dir: {folder}}}
config_paths:
  config_dir: {folder}/etc/
  data_dir: {folder}/data/
  simulation_path: {folder}/etc/simulation.yaml
  hub_dir: {hub}/
  index_path: {hub}/.index.json
  notification_dir: {folder}/etc/notifications/
  plugin_dir: {folder}/etc/plugins/
crowdsec_service: {{acquisition_path: {folder}/etc/acquis.yaml, parser_routines: 1}}
cscli: {{output: human}}
db_config: {{type: sqlite, db_path: {folder}/data/crowdsec.db}}
plugin_config: {{user: nobody, group: nogroup}}
api:
  client: {{credentials_path: {folder}/etc/lapi.yaml}}
  server: {{listen_uri: "127.0.0.1:{port}", profiles_path: {folder}/etc/profiles.yaml}}
prometheus: {{enabled: false}}
"""
PARSERS = {"s00-raw": ["syslog-logs"], "s01-parse": ["nginx-logs"], "s02-enrich": ["dateparse-enrich", "http-logs"]}


@pytest.fixture
def folder():
    with tempfile.TemporaryDirectory() as path:
        yield Path(path)


@pytest.fixture
def crowdsec(folder):
    """A function that runs CrowdSec: with the parsers of nginx and a database of its own, asking nobody outside."""
    if not HUB.exists() and "CI" not in os.environ:
        pytest.skip("no crowdsec here; CI unpacks it, and CROWDSEC_ROOT says where")
    etc, port = folder / "etc", free_port()
    for name in ("etc/scenarios", "etc/postoverflows", "etc/notifications", "etc/plugins", "data"):
        (folder / name).mkdir(parents=True)
    for stage, names in PARSERS.items():
        (etc / "parsers" / stage).mkdir(parents=True)
        for name in names:
            parser = HUB / "parsers" / stage / "crowdsecurity" / f"{name}.yaml"
            (etc / "parsers" / stage / parser.name).symlink_to(parser)
    shutil.copytree(CROWDSEC / "etc/crowdsec/patterns", etc / "patterns")
    for name in ("simulation.yaml", "profiles.yaml"):
        shutil.copy(CROWDSEC / "etc/crowdsec" / name, etc / name)
    (etc / "lapi.yaml").write_text(f"url: http://127.0.0.1:{port}\nlogin: nobody\npassword: none\n")
    (etc / "acquis.yaml").write_text(f"filenames: [{folder}/access.log]\nlabels: {{type: nginx}}\n")
    (etc / "config.yaml").write_text(CROWDSEC_CONF.format(folder=folder, hub=HUB, port=port))

    def _run(*arguments, command="crowdsec"):
        return run([CROWDSEC / "usr/bin" / command, "-c", etc / "config.yaml", *arguments], folder)

    return _run


@pytest.mark.parametrize("rules", [RULES, EVERYBODY], ids=["clients", "everybody"])
def test_crowdsec_takes_the_scenarios(rules, folder, crowdsec):
    (folder / "etc/scenarios/limited-clients.yaml").write_text(snippet("crowdsec", rules), encoding="utf-8")

    done = crowdsec("-t")

    assert done.returncode == 0, done.stdout + done.stderr
    assert f"Loaded {len(rules)} scenarios" in done.stdout + done.stderr


def test_crowdsec_bans_whoever_goes_on_after_429_under_the_token_alone(folder, crowdsec):
    rules = [Rule(Limit("1r/s", 20, key="address"), token="Fleet"), Rule(Limit("30r/m", 5, key="address"), "unnamed")]
    (folder / "etc/scenarios/limited-clients.yaml").write_text(snippet("crowdsec", rules), encoding="utf-8")
    clients = [  # last number of the address, user agent, status, seconds between requests
        (1, "Mozilla/5.0 (compatible; Fleet/1.0)", 429, 1),
        (2, "Fleet-Image/1.0", 429, 1),
        (3, "Fleet/1.0", 200, 1),
        (4, "Fleet/1.0", 429, 30),
        (5, "-", 429, 1),
    ]
    lines = [
        f'192.0.2.{number} - - [02/Nov/2026:10:{n * pause // 60:02}:{n * pause % 60:02} +0000] "GET /a HTTP/1.1" '
        f'{status} 162 "-" "{agent}"\n'
        for n in range(20)
        for number, agent, status, pause in clients
    ]
    (folder / "access.log").write_text("".join(sorted(lines, key=lambda line: line[20:50])), encoding="utf-8")

    added = crowdsec("machines", "add", "-a", "--force", command="cscli")
    done = crowdsec("-dsn", f"file://{folder}/access.log", "-type", "nginx")

    said = done.stdout + done.stderr
    assert (added.returncode, done.returncode) == (0, 0), said
    banned = re.findall(r"site/(limited-\d) by ip (\S+) : \S+ ban", said)
    assert sorted(banned) == [("limited-1", "192.0.2.1"), ("limited-2", "192.0.2.5")]
