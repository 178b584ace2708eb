"""What is compiled beforehand: the tasks that together call every kernel are those that were chosen and stored."""

from pathlib import Path

import numpy as np
from whole_texts import stored_difference

from ftree import Dataset, Leaf, Schema, Tree
from ftree import compile as compile_module
from ftree.exact import entropy

LEAF = Tree(Schema((), "class", ("no", "yes")), Leaf((1, 2)))


def described(value):
    """A table by its size, its gaps and its weights, a policy by its parts, an array by its shape."""
    if isinstance(value, Dataset):
        gaps = [int((np.isnan(column) if column.dtype.kind == "f" else column < 0).sum()) for column in value.columns]
        weights = (
            None if value.weights is None else [int(value.weights.min()), int(value.weights.max()), int(value.weights.sum())]
        )
        kinds = [feature.kind for feature in value.schema.features]
        return f"{len(value)} rows, {kinds}, classes {value.class_counts()}, gaps {gaps}, weights {weights}"
    if hasattr(value, "impurity"):
        measured = [round(float(value.impurity(np.array(counts))), 6) for counts in ((1.0, 3.0), (0.25, 0.5))]
        return f"impurity {measured}, missing {value.missing}, stop {value.stop}"
    if isinstance(value, np.ndarray):
        return f"array {value.shape} of {value.sum():g}"
    return repr(value) if isinstance(value, (int, float, str)) or value == entropy() else type(value).__name__


def recorder(name, told, answer=None):
    def record(*given, **options):
        parts = [*map(described, given), *(f"{option}={described(value)}" for option, value in options.items())]
        told.append(f"{name}: {'; '.join(parts)}")
        return answer

    return record


def test_the_tasks_of_compilation_are_those_that_were_chosen(monkeypatch):
    told = []
    answers = {"grow": LEAF, "source_of": "source", "mark": Path("mark")}
    names = ("grow", "predict", "predict_counts", "optimal", "source_of", "mark", "count_as_compiled", "raised_in_compiled_code")
    for name in (*names, "compiled_path_losses"):
        monkeypatch.setattr(compile_module, name, recorder(name, told, answers.get(name)))
    assert compile_module.compile_kernels() == Path("mark")
    assert stored_difference(Path(__file__).with_name("compiled_tasks.txt"), "\n".join(told)) is None


def test_a_lock_is_taken_over_when_it_is_older_than_ten_minutes(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "deep" / "er"))
    with compile_module._alone() as first:
        (lock,) = (tmp_path / "deep").rglob("*.lock")
        began = lock.stat().st_mtime
        for now, alone in ((began + 600, False), (began + 601, True)):
            monkeypatch.setattr(compile_module, "time", lambda now=now: now)
            with compile_module._alone() as second:
                assert (first, second) == (True, alone)
    with compile_module._alone() as again:
        assert again
    assert not list(tmp_path.rglob("*.lock"))
