"""The finished levels of one growth in a JSON file, so that growth can continue after an interruption."""

import json
from os import W_OK, access
from pathlib import Path
from typing import Any
from zlib import crc32

from attrs import field, frozen

from ftree._lib.messages import short_repr
from ftree.exchange import from_json, to_json
from ftree.growth.checkpoint import GrownLevels
from ftree.policy import Policy
from ftree.scan.parts import SourceSummary
from ftree.tree.nodes import Tree

_FORMAT, _VERSION = "ftree growth", 1


def _writable(_: Any, __: Any, path: Path) -> None:
    folder = path.absolute().parent
    if path.is_dir() or not folder.is_dir() or not access(folder, W_OK):
        message = f"resume must be a file in a writable folder, got {short_repr(str(path))}."
        raise ValueError(message)


@frozen(eq=False)
class CheckpointFile:
    """A file that keeps the levels of a growth from a source; it is written under another name, and renamed when complete."""

    path: Path = field(validator=_writable)
    summary: SourceSummary = field(repr=False)

    def load(self, policy: Policy) -> GrownLevels | None:
        """The levels in the file, None if there is no file.

        Raises a ValueError for a file of another policy or table, and for any other file.
        """
        try:
            fields = json.loads(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (ValueError, OSError) as error:
            raise ValueError(self._not_ours("a file that is not JSON")) from error
        if not isinstance(fields, dict) or (fields.get("format"), fields.get("version")) != (_FORMAT, _VERSION):
            raise ValueError(self._not_ours("another"))
        for name, value in self._known(policy).items():
            if fields.get(name) != value:
                raise ValueError(self._not_ours(f"one of another {name}"))
        text, levels, finished = fields.get("tree"), fields.get("levels", -1), fields.get("finished", ())
        checksum = fields.get("checksum")
        tree = from_json(text) if isinstance(text, str) and checksum == _checksum(levels, finished, text) else None
        if not isinstance(tree, Tree) or tree.schema != self.summary.schema:
            raise ValueError(self._not_ours("a damaged one"))
        return GrownLevels(tree, levels, tuple(map(tuple, finished)))

    def save(self, policy: Policy, grown: GrownLevels) -> None:
        """Replace the levels in the file by these.

        Raises a TypeError for values and classes of a type that JSON cannot represent.
        """
        text, finished = to_json(grown.tree), list(map(list, grown.finished))
        known = {"format": _FORMAT, "version": _VERSION, **self._known(policy)}
        checksum = _checksum(grown.levels, finished, text)
        fields = {**known, "levels": grown.levels, "finished": finished, "checksum": checksum, "tree": text}
        unfinished = self.path.with_name(f"{self.path.name}.unfinished")
        try:
            unfinished.write_text(json.dumps(fields), encoding="utf-8")
            unfinished.replace(self.path)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise

    def remove(self) -> None:
        """Remove the file."""
        self.path.unlink(missing_ok=True)

    def _known(self, policy: Policy) -> dict[str, Any]:
        """The properties that the file must match. Functions count by their names."""
        return {"policy": repr(policy), "table": [self.summary.n_rows, *map(int, self.summary.class_counts)]}

    def _not_ours(self, what: str) -> str:
        return (
            f"resume must be a checkpoint of this growth, got {what} in {short_repr(str(self.path))}. Remove it to start again."
        )


def _checksum(levels: Any, finished: Any, text: str) -> int:
    return crc32(f"{levels} {finished} {text}".encode())
