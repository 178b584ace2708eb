"""Node.js, which runs what the builder's page computes, without a browser."""

import json
import re
import shutil
import subprocess

import pytest

from ftree.lesson.tree_builder import COMPUTES, joined_scripts

# Each line of input has a page's data and a script, each line of output its result. A script that never ends is an error.
_LOOP = """
const { runInThisContext } = require("node:vm");
const lines = require("node:readline").createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const { data, script } = JSON.parse(line);
  globalThis.document = { getElementById: () => ({ textContent: data }) };
  let answer;
  try { answer = { value: runInThisContext(`(() => { ${script} })()`, { timeout: 20_000 }) }; }
  catch (error) { answer = { error: String(error.stack) }; }
  console.log(JSON.stringify(answer));
});
"""


def text_of_data(html):
    """The data in a page, as the text of JSON."""
    return re.search(r'id="given">(.*?)</script>', html)[1]


class Node:
    """A process of Node.js that runs scripts with the data of a page, as a browser does, but has no page."""

    def __init__(self):
        if shutil.which("node") is None:
            pytest.skip("needs node: apt-get install --no-install-recommends nodejs")
        command = [shutil.which("node"), "-e", _LOOP]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # noqa: S603  # found
        self.trees, self.data = joined_scripts(*COMPUTES), ""

    def open(self, path):
        self.data = text_of_data(path.read_text(encoding="utf-8"))

    def log(self):
        """Nothing is written to a console: `run` raises errors."""
        return []

    def run(self, script):
        """The result of a script."""
        asked = {"data": self.data, "script": f"{self.trees}; return (() => {{ {script} }})()"}
        self.process.stdin.write(json.dumps(asked) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        assert "error" not in answer, answer["error"]
        return answer.get("value")

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def opening(machine, folder):
    """A function that opens a builder in Node.js or a browser, which it returns; in the end nothing is written to its console."""
    file = folder / "builder.html"

    def opened(page):
        page.save(file)
        machine.open(file)
        return machine

    machine.log()
    yield opened
    found = machine.log()
    assert found == [], found
