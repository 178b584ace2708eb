"""The graph of an ONNX model under construction."""

from typing import Any

import numpy as np
from attrs import field, frozen

from ftree._lib.messages import short_repr
from ftree.exchange.checks import plain
from ftree.exchange.json_checks import check_text
from ftree.exchange.onnx_trees import Ensemble
from ftree.exchange.step_list import Steps
from ftree.tree.schema import Feature

# The prefix of the names of inner values.
PREFIX = "ftree:"
_NEARLY_ONE = 1e-3


@frozen(eq=False)
class Graph:
    """The nodes made so far, each with one output."""

    onnx: Any
    listed: Steps
    nodes: list[Any] = field(factory=list)

    @property
    def used(self) -> tuple[int, ...]:
        """Numbers of the features that tests use; at least one, which determines the number of rows."""
        return self.listed.used_features or (0,)

    def add(self, operator: str, *inputs: Any, output: str | None = None, **attributes: Any) -> str:
        """The name of the output of a new node; an input that is not a name is a constant."""
        names = [each if isinstance(each, str) else self.constant(each) for each in inputs]
        made = output or f"{PREFIX}{len(self.nodes)}"
        domain = "ai.onnx.ml" if operator in {"LabelEncoder", "TreeEnsemble"} else ""
        self.nodes.append(self.onnx.helper.make_node(operator, names, [made], domain=domain, **attributes))
        return made

    def constant(self, value: Any) -> str:
        """The name of a constant array."""
        return self.add("Constant", value=self.tensor(value))

    def tensor(self, value: Any) -> Any:
        """A tensor of an array; texts are an array of objects."""
        array = np.asarray(value)
        return self.onnx.numpy_helper.from_array(array.astype(object) if array.dtype.kind == "U" else array)

    def trees(self, ensemble: Ensemble) -> str:
        """The numbers that the trees of an ensemble predict, (n, trees)."""
        columns = [self._column(number) for number in self.used]
        columns += [
            self._sum([columns[self.used.index(each)] for each in features], weights) for features, weights in ensemble.sums
        ]
        return self.add("TreeEnsemble", self.add("Concat", *columns, axis=1), **ensemble.attributes(self.tensor))

    def equal(self, numbers: str, wanted: list[int]) -> str:
        """1 where numbers (n, m) are those wanted (m,), else 0."""
        return self.add("Cast", self.add("Equal", numbers, np.array(wanted, np.float64)), to=self.onnx.TensorProto.DOUBLE)

    def model(self, label_type: Any) -> Any:
        """The model of all nodes; `label_type` is the type of the labels."""
        make, types = self.onnx.helper.make_tensor_value_info, self.onnx.TensorProto
        inputs = [make(each.name, _input_type(types, each), [None, 1]) for each in self.listed.schema.features]
        label = types.STRING if label_type.kind == "U" else self.onnx.helper.np_dtype_to_tensor_dtype(label_type)
        n_classes = len(self.listed.schema.classes)
        outputs = [make("label", label, [None]), make("counts", types.DOUBLE, [None, n_classes])]
        versions = [self.onnx.helper.make_opsetid("", 18), self.onnx.helper.make_opsetid("ai.onnx.ml", 5)]
        graph = self.onnx.helper.make_graph(self.nodes, "tree", inputs, outputs)
        return self.onnx.helper.make_model(graph, opset_imports=versions, ir_version=8, producer_name="ftree")

    def _column(self, number: int) -> str:
        """A feature as doubles (n, 1): its numbers or codes, NaN where missing."""
        feature = self.listed.schema.features[number]
        if feature.kind == "numeric":
            return feature.name
        keys = _keys(feature)
        codes = self.tensor(np.arange(float(len(keys))))
        missing = self.tensor([np.nan])
        return self.add("LabelEncoder", feature.name, keys_tensor=self.tensor(keys), values_tensor=codes, default_tensor=missing)

    def _sum(self, columns: list[str], weights: tuple[float, ...]) -> str:
        """A weighted sum, added up from left to right."""
        total, *others = [self._times(column, weight) for column, weight in zip(columns, weights, strict=True)]
        for term in others:
            total = self.add("Add", total, term)
        return total

    def _times(self, column: str, weight: float) -> str:
        """A column times a weight; onnxruntime would omit a weight of nearly 1."""
        nearly = weight != 1 and abs(weight - 1) < _NEARLY_ONE
        return self.add("Neg", self.add("Mul", column, [-weight])) if nearly else self.add("Mul", column, [weight])


def is_texts(values: list[Any]) -> bool:
    """Whether all values are texts.

    >>> is_texts(["a", "b"]), is_texts(["a", 1])
    (True, False)
    """
    return all(isinstance(value, str) for value in values)


def is_whole(values: list[Any]) -> bool:
    """Whether all values are integers, or all are booleans.

    >>> is_whole([1, 2]), is_whole([True, False]), is_whole([1, "a"])
    (True, True, False)
    """
    return {type(value) for value in values} in ({int}, {bool})


def _keys(feature: Feature) -> Any:
    """The values of a feature as an array; None is the empty text."""
    values = [plain(f"A value of {feature.name!r}", value) for value in feature.values]
    texts = ["" if value is None else value for value in values]
    if is_texts(texts) and len(set(texts)) == len(texts):
        return np.array(list(map(check_text, texts)))
    if not is_whole(values):
        wanted = "all texts, of which None is the empty one, or all whole numbers, to be written in ONNX"
        message = f"Values of {feature.name!r} must be {wanted}, got {short_repr(values)}."
        raise ValueError(message)
    if not all(-(2**63) <= value < 2**63 for value in values):
        message = f"Whole numbers of {feature.name!r} must be of 64 bits to be written in ONNX, got {short_repr(values)}."
        raise ValueError(message)
    return np.array(values, dtype=np.int64)


def _input_type(types: Any, feature: Feature) -> Any:
    if feature.kind == "numeric":
        return types.DOUBLE
    return types.INT64 if is_whole(list(feature.values)) else types.STRING
