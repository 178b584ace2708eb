"""A browser for tests: Debian's Chromium, driven by its ChromeDriver over W3C WebDriver."""

import json
import os
import re
import shutil
import subprocess
import tempfile
from base64 import b64decode
from http.client import HTTPConnection
from pathlib import Path

import pytest

_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # WebDriver's name of a reference to an element
_FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --hide-scrollbars"
)
KEYS = {
    "Down": "\ue015",
    "Up": "\ue013",
    "Left": "\ue012",
    "Right": "\ue014",
    "Home": "\ue011",
    "End": "\ue010",
    "Enter": "\ue007",
    "Escape": "\ue00c",
}


def needed(program, package):
    """The path of a program; without it a test skips, or fails in CI."""
    return needed_file(Path(shutil.which(program) or program), f"apt-get install --no-install-recommends {package}")


def needed_file(path, remedy):
    """The path of a file; without it a test skips, or fails in CI."""
    if not path.exists():
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"needs {path.name}: {remedy}")
    return path


class Browser:
    """One window. Elements are named by CSS selectors."""

    def __init__(self):
        needed("chromium", "chromium")
        self.profile = tempfile.mkdtemp()
        self.driver = subprocess.Popen(  # noqa: S603  # the driver that needed() found
            [needed("chromedriver", "chromium-driver"), "--port=0"], stdout=subprocess.PIPE, text=True
        )
        port = next(int(found[1]) for line in self.driver.stdout if (found := re.search(r"successfully on port (\d+)", line)))
        self.connection = HTTPConnection("127.0.0.1", port, timeout=120)
        options = {"args": [*_FLAGS.split(), f"--user-data-dir={self.profile}"]}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        self.session = ""
        self.session = "/" + self.ask("POST", "", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]

    def ask(self, method, path, body=None):
        self.connection.request(method, f"/session{self.session}{path}", None if body is None else json.dumps(body))
        answer = json.loads(self.connection.getresponse().read())["value"]
        assert not (isinstance(answer, dict) and "error" in answer), answer
        return answer

    def open(self, path):
        self.ask("POST", "/url", {"url": Path(path).as_uri()})

    def run(self, script, *args):
        """The result of a script, after its promise is resolved."""
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(args)})

    def find(self, selector):
        return self.ask("POST", "/element", {"using": "css selector", "value": selector})[_ELEMENT]

    def click(self, selector):
        self.ask("POST", f"/element/{self.find(selector)}/click", {})

    def type(self, selector, *keys):
        self.ask("POST", f"/element/{self.find(selector)}/value", {"text": "".join(KEYS.get(key, key) for key in keys)})

    def press(self, *keys):
        """Send keys to the element with the focus."""
        pressed = [{"type": kind, "value": KEYS.get(key, key)} for key in keys for kind in ("keyDown", "keyUp")]
        self.ask("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": pressed}]})

    def role(self, selector):
        return self.ask("GET", f"/element/{self.find(selector)}/computedrole")

    def label(self, selector):
        return self.ask("GET", f"/element/{self.find(selector)}/computedlabel")

    def log(self):
        """Messages of the console since the last call."""
        return [entry["message"] for entry in self.ask("POST", "/se/log", {"type": "browser"})]

    def resize(self, width, height):
        self.ask("POST", "/window/rect", {"width": width, "height": height})

    def prefer(self, scheme):
        """Set the reader's screen to "light" or "dark"."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.ask("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": {"features": features}})

    def screenshot(self, path):
        Path(path).write_bytes(b64decode(self.ask("GET", "/screenshot")))

    def close(self):
        self.ask("DELETE", "")
        self.driver.terminate()
        self.driver.wait()
        self.driver.stdout.close()
        self.connection.close()
        shutil.rmtree(self.profile, ignore_errors=True)
