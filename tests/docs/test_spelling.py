"""Pages, examples, README and changelog are spelled as in Britain; names in code follow their own rules."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
AMERICAN = re.compile(
    r"\b((?:neighbor|favor|behavior|color|honor|labor)(?:s|ed|ing|ite)?|center(?:s|ed)?|gray|labeled|labeling|modeled|modeling|catalog"
    r"|judgment|(?:normal|organ|recogn|summar|optim|random|general|minim|maxim|serial|visual)iz(?:e|es|ed|ing|ation)|analyz(?:e|es|ed|ing))\b"
)
CODE = re.compile(r"```.*?```|``.*?``|`.*?`|\]\(.*?\)|:\w+:`.*?`", re.DOTALL)


def prose():
    """The texts without their code; of examples, the docstrings."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").glob("*.rst")]
    texts = {path: CODE.sub(" ", path.read_text(encoding="utf-8")) for path in pages}
    for path in (ROOT / "examples").glob("*.py"):
        texts[path] = path.read_text(encoding="utf-8").split('"""')[1]
    return texts


def test_one_spelling_is_used():
    assert {path.name: words for path, text in prose().items() if (words := AMERICAN.findall(text))} == {}
