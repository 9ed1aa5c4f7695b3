import os
import signal
import time
from pathlib import Path

import pytest
from hypothesis import settings

# A zone with half an hour and summer time on the other side of the year: naive-time slips cannot pass here.
os.environ["TZ"] = "Australia/Lord_Howe"
time.tzset()

# A shell starts what runs in the background with Ctrl-C ignored, and so would be what the tests start and interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

# No test asserts a time: on a busy machine a deadline fails what is right.
settings.register_profile("project", deadline=None)
settings.load_profile("project")

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared():
    """Folder of the shared conformance cases and real logs, where it stands beside the project."""
    folder = ROOT.parent / "shared"
    if not (folder / "cases").is_dir():
        pytest.skip("no folder of shared cases beside the project")
    return folder
