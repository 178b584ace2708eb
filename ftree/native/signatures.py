"""The functions of the native library, and the structs of their arrays: the only list of both.

A signature names each argument and its type: `f64[m,k]` is an array of two dimensions, `f64[]` one of any length, `f64` a number;
`!` marks an array that is written. C gets the addresses and numbers in this order, NULL for an array without entries, then the
lengths whose names have no underscore, in the order of their first mention: `f64[_n,k]` is checked against other arrays of _n
rows, and C gets only k.
"""

import re
from typing import Any, NamedTuple

import numpy as np


def _struct(fields: str) -> np.dtype[Any]:
    """The type of a struct in C, from its fields and their types."""
    return np.dtype([(name, kind) for name, kind in (each.split(":") for each in fields.split())], align=True)


# The structs of `native.h`.
STEP = _struct("at:f8 line:u4 first:u4")
QUESTION = _struct("at:f8 start:i8 width:i8 kind:i4 line:i4 surrogate:i4 default_child:i4 reversed:i8")
DIVISION = _struct("share:f8 arity:i4 rest:i4 answer:i4")
GROWTH_RULES = _struct("pure:f8 depth:f8 rows:f8 errors:f8 leaf:f8 gain:f8 unit:f8 shift:i8 impurity:i8")
ITEM = _struct("scaled:u4 row:u4")
CUT = _struct("gain:f8 at:i8 feature:i4 unsure:i4 threshold:f8")
OPEN = _struct("low:i8 high:i8 node:i8 depth:i8 key:u8")
GROWN_NODE = _struct("feature:i4 first:i4 below:i4 above:i4")
SEARCH = _struct("n:i8 stream:u8")
SEARCHED_FEATURE = _struct("hash:u8 stream:u8 least:f8 is_drawn:i8")
DRAWN = _struct("draw:u8 feature:i8")
PART = _struct("size:f8 row:i8 child:i8")
RAISED = _struct(
    "errors:f8 first:i8 arity:i8 parent:i8 source:i8 known:? incomplete:? touched:? gaps:? changed:? "
    "begin:i8 end:i8 size:f8 fill:i8 top:i8 before:i8"
)
FORK = _struct("at:f8 feature:i8 numeric:i8 first:i8 code:i8 absent:i8 table:i8 open:i8")
TREES_KNOWN = _struct("cost:f8 bound:f8 states:f8 most_states:f8")
LEAF_TERMS = _struct("kind:i8 penalty:f8 least:f8 step:f8")
COLUMN = _struct(
    "least:f8 share:f8 most:f8 values_at:i8 split_kind:i4 place:i4 n_codes:i4 nominal:i4 mdl:i4 declared:i4 exact:i4 many:i4 "
    "has_surrogates:i4"
)
SCORED = _struct("score:f8 guard:f8 information:f8 cut:i8 order:i8 unsure:i4")
CRITERION = _struct(
    "slack:f8 scale:f8 lines:(3,3)f8 rate:f8 rounding:f8 prior:f8 least_agreeing:f8 grid:f8 impurity:i8 by_ratio:i8 "
    "most_surrogates:i8 own:u8"
)
STAND_IN = _struct("agreement:f8 adjusted:f8 at:f8 low:u8 high:u8 feature:i4 reversed:i4")
TABLE_NODE = _struct(
    "listed:i8 stand_ins:i8 feature:i4 kind:i4 first:i4 arity:i4 below:i4 above:i4 n_listed:i4 n_stand_ins:i4 "
    "default_child:i4 zero:i4"
)
TABLE_SIZES = _struct("rows:i8 features:i8 classes:i8 sums:i8 widest:i8 most_values:i8 most_scores:i8 cells:i8 divides:i8")
COPY = _struct("share:f8 row:i4 child:i4")
STRUCTS = {
    "Column": COLUMN,
    "Scored": SCORED,
    "Criterion": CRITERION,
    "StandIn": STAND_IN,
    "TableNode": TABLE_NODE,
    "TableSizes": TABLE_SIZES,
    "Copy": COPY,
    "Step": STEP,
    "Question": QUESTION,
    "Division": DIVISION,
    "GrowthRules": GROWTH_RULES,
    "Item": ITEM,
    "Cut": CUT,
    "Open": OPEN,
    "GrownNode": GROWN_NODE,
    "Search": SEARCH,
    "SearchedFeature": SEARCHED_FEATURE,
    "Drawn": DRAWN,
    "Part": PART,
    "Raised": RAISED,
    "Fork": FORK,
    "TreesKnown": TREES_KNOWN,
    "LeafTerms": LEAF_TERMS,
}
_NUMBERS = {"f64": "f8", "i64": "i8", "i32": "i4", "u8": "u1", "u16": "u2", "u32": "u4", "u64": "u8", "bool": "?"}
_TYPES: dict[str, np.dtype[Any]] = STRUCTS | {name: np.dtype(kind) for name, kind in _NUMBERS.items()}

_LANES = "rules:GrowthRules[1] keys:i32[l,n]! distinct:u8[l]"
_QUESTIONS = "steps:Step[] questions:Question[] table:i32[] numbers:f64[] terms:i64[]"
_WAYS = f"cells:f64[,b] by_row:i64 {_QUESTIONS}"
_PARTS = (
    f"cells:f64[,n] {_QUESTIONS} labels:i64[n] times:f64[n] unit:f64 parts:Part[r]! "
    "nodes:Raised[m]! counts:f64[m,k]! stack:i64[m]!"
)
# Functions for both types of counts, which their names end with.
_OF_COUNTS = {
    "pairs": "of_class:i64[s] weight:COUNT[s] bits:u64[_w,b] starts:i64[] others:u64[_w,o] first:i64 end:i64 pairs:COUNT[,f,n]!",
    "triples": "of_class:i64[s] weight:COUNT[s] bits:u64[_w,b] starts:i64[_t] rows:u64[,v] first:i64 end:i64 "
    "both:u64[_w]! begin:i64[_t]! some:u64[_w,b]! triples:COUNT[m,k,m,p]!",
    "pairs_with": "triples:COUNT[n,k,n,p] pairs:COUNT[k,n,n] item:i64 own:COUNT[k,n,n]!",
    "subtract": "whole:COUNT[m,k,m,p] part:COUNT[m,k,m,p] rest:COUNT[m,k,m,p]!",
}
# What leaves and splits cost, and room for trees of depth two.
_TERMS = "wide:i64[e] prices:f64[_c] leaves:LeafTerms[1] costs:f64[,x] counts:f64[k,n]! low_high:f64[2,n]! cells:f64[4,k]!"
SIGNATURES = {
    "leaves": f"{_WAYS} leaf:i64[n]!",
    "add_up": f"{_WAYS} divisions:Division[_m] counts:f64[_m,k] distributions:i64 unit:f64 "
    "node:i64[_m]! part:f64[_m]! spare:f64[k]! added:f64[n,k]!",
    "add_answers": "counts:f64[,k] labels:i64[] leaf:i64[n] weight:f64 by_label:i64 added:f64[n,k]!",
    "sort_lane": "x:f64[n] label:u8[n] shift:i64 items:Item[n]! room:Item[n]! count:u32[4,256]! lane:i32[n]!",
    "part_lanes": f"{_LANES} low:i64 high:i64 in_order:i64 right:u8[n] room:i32[]!",
    "grow_lanes": f"{_LANES} searched:SearchedFeature[f] entropies:i64[] whole:i64[_n,a] scales:f64[a] times:i64[] "
    "channels:f64[_n,k] limbs:i64[] right:u8[n]! search:Search[1] x:f64[,] at:f64[]! "
    "steps:i64 state:i64[3]! open:Open[_m]! nodes:GrownNode[_m]! counts:f64[_m,k]! rows:i64 memory:u64[]!",
    "grow_lanes_words": "f:i64 k:i64 rows:i64",
    # The table; memory; what grows.
    "grow_table": "sizes:TableSizes[1] rules:GrowthRules[1] criterion:Criterion[1] factors:f64[] entropies:f64[e] "
    "columns:Column[_f] search:Search[1] searched:SearchedFeature[_f] codes:u16[_n,c] labels:i32[_n] times:f64[] "
    "whole:i64[_w,_a] channels:f64[_w,q] limbs:i64[] values:f64[] begin:i64[] "
    "memory:u64[]! steps:i64 "
    "state:i64[10]! open:Open[]! nodes:TableNode[m]! counts:f64[m,q]! listed:i32[g]! stand_ins:StandIn[h]! keys:i32[l,b]! "
    "fractions:f64[]! copies:Copy[j]!",
    "grow_table_words": "sizes:TableSizes[1] width:i64",
    "list_by_level": "nodes:GrownNode[m] order:i32[m]! first:i32[m]!",
    "sorted_tree": "rank:i32[f,n] order:i32[f,n] label:i32[n] weight:i64[n] prices:f64[f] total:i64[k] set:u64[_w] "
    "unit:f64 penalty:f64 depth:i64 cuts:i64 stop:i64[1] known:TreesKnown[1]! best:i32[_p,2]! memory:u64[_m]!",
    "sorted_tree_words": "f:i64 n:i64 k:i64 depth:i64",
    "count_parts": _PARTS,
    "raise_subtrees": f"{_PARTS} sent:f64[m,k]! total:f64[k]! visited:i64[m]! to_judge:i64[m]! surprise:f64 z:f64",
    "bin_codes": "numbers:f64[n] edges:f64[e] low:f64 scale:f64 guide:i32[c]! codes:i32[n]!",
    "impurities": "address:i64 counts:f64[n,k] answers:f64[n]!",
    "corner_bounds": "left:f64[n,k] within:f64[n,k] right:f64[n,k] impurity:i64 terms:f64[4,k]! bounds:f64[n]!",
    "open_nodes": "codes:u8[,] bytes:i64 numbers:f64[,n] forks:Fork[] child:i64[] node:i32[n]!",
    "count_cells": "codes:u8[f,b] bytes:i64 labels:i32[n] weights:i64[u] node:i32[n] n_codes:i64[f] shift:i64[f] first:i64[] "
    "counts:i64[,w,k]!",
    "wanted_rows": "codes:u8[] bytes:i64 node:i32[n] missing:i64 shift:i64 first:i64 cell:i32[,w] code:i32[,s] "
    "row:i64[n]! number:i32[n]!",
    **{
        f"{name}_{dtype}": signature.replace("COUNT", count)
        for dtype, count in (("int32", "i32"), ("float64", "f64"))
        for name, signature in _OF_COUNTS.items()
    },
    "select_rows": "rows:u64[_r,v] starts:i64[t] mask:u64[_w] begin:i64[t]! bits:u64[_w,b]! selected:u64[_r,v]!",
    "most_of_others": "masks:u64[_n,w] totals:f64[_n,k] least:f64[_n] weight:f64[s] starts:i64[] class_weights:f64[k] some:i64 "
    "mask:u64[w] total:f64[k] best:f64[1]!",
    "two_classes": "pairs:i32[2,n,n] total:i32[2] penalty:f64 room:i32[4,n]! best:f64[1]!",
    "quarters": "triples:i32[n,2,n,p] pairs:i32[2,n,n] total:i32[2] penalty:f64 quarters:i32[n,6,272]! "
    "counts:i32[4,272]! two:f64[n,2]!",
    "depth_two": f"pairs:f64[k,n,n] total:f64[k] {_TERMS} best:f64[1]!",
    "depth_three": "triples:f64[n,k,n,p] pairs:f64[k,n,n] total:f64[k] order:i64[o] bound:f64[_c] two:f64[n,2]! "
    f"{_TERMS} own:f64[k,n,n]! rest:f64[k,n,n]! sums:f64[2,k]! best:f64[1]!",
    # Counting and moving (count.c); whole counts are passed as views of their bits.
    "rank_codes": "codes:i32[_f,e] node:i32[e] widths:i64[_f] first:i64 last:i64 ends:i32[]! latest:i32[m]! order:i32[e]! "
    "table:i32[t]! ranks:i32[_f,e]! sizes:i64[_f,m]!",
    "count_ranks": "codes:i32[_f,e] ranks:i32[_f,e] node:i32[e] rows:i64[_f,m] labels:i64[l] weights:f64[u] added:f64[,k] "
    "values:f64[] places:i64[_f] first:i64 last:i64 value:f64[_r]! counts:f64[_r,k]!",
    "group_entries": "node:i64[e] starts:i64[s]! order:i64[n]!",
    "take_codes": "codes:i32[_f,e] order:i64[n] first:i64 last:i64 taken:i32[_f,n]!",
    "fill_sides": "counts:f64[,k] whole:i64 start:i64[_n] end:i64[_n] place:i64[2]! left:f64[k]! total:f64[k]! "
    "children:f64[k,2,b]!",
}


class Argument(NamedTuple):
    """An argument of a function: a number, or an array of a type with some dimensions, each a name, a length or any."""

    name: str
    type: np.dtype[Any]
    dimensions: tuple[str, ...] | None
    written: bool


def arguments_of(signature: str) -> list[Argument]:
    """The arguments that a signature names.

    >>> [(each.name, each.dimensions, each.written) for each in arguments_of("unit:f64 counts:f64[m,2]!")]
    [('unit', None, False), ('counts', ('m', '2'), True)]
    """
    found = [re.fullmatch(r"(\w+):(\w+)(?:\[([\w,]*)\])?(!?)", each) for each in signature.split()]
    if None in found:
        raise ValueError(f"signature must name arguments such as counts:f64[m,2]!, got {signature!r}.")
    return [
        Argument(name, _TYPES[kind], None if sizes is None else tuple(sizes.split(",")), bool(mark))
        for name, kind, sizes, mark in (each.groups() for each in found if each is not None)
    ]
