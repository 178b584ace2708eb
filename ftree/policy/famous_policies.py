"""The growth policies of famous algorithms, but for ID3's, which is the default of `grow`.

They are loaded when they are first asked for: each needs splitters that other policies do without.
"""

from attrs import evolve

from ftree._lib.fields import as_plain
from ftree.criteria.impurity import entropy, gini
from ftree.criteria.scores import gain, significance
from ftree.policy.growth_policy import Policy
from ftree.routing.missing_rules import weighted
from ftree.splitters import as_value, by_gain_ratio, c45_min_branch, ignore, merging, multiway, subset, surrogates, threshold
from ftree.stop import min_rows, no_gain, pure

# Breiman et al. 1984: binary splits by the Gini index, without an early stop. `ftree.cart` also prunes.
CART: Policy = Policy(impurity=gini, score=gain, splits=(subset(), threshold()), stop=pure() | no_gain(), missing=surrogates())


def cart_policy(min_split: float = 20, min_bucket: float = 7) -> Policy:
    """CART's growth policy with minimum sizes, by default those of rpart: `minsplit` cases in a node, `minbucket` in a child.

    `CART` grows without minimum sizes. rpart's default tree: `prune.cost_complexity(0.01, scale="cp")(grow(d, cart_policy()))`.

    Source: Breiman et al. 1984; rpart 4.1 (Therneau & Atkinson).

    >>> cart_policy(min_split=2).stop
    pure() | no_gain() | min_rows(2)
    """
    splits = subset(min_cases=min_bucket), threshold(min_cases=min_bucket)
    return evolve(CART, splits=splits, stop=CART.stop | min_rows(min_split))


# Kass 1980: values merge while they do not differ significantly; adjusted p-values choose features and stop growth.
CHAID: Policy = Policy(impurity=entropy, score=significance, splits=(merging(),), stop=pure(), missing=as_value())


def c45_policy(min_cases: float = 2) -> Policy:
    """C4.5's growth policy, in whose splits at least two children have `min_cases` cases each (option -m).

    `C45` is this policy with `min_cases=2`; `ftree.c45(dataset)` grows by it and prunes in one call, by
    `prune.error_based(raise_with=dataset, collapse=True)`.

    It chooses by gain ratio among splits of at least mean gain. Nominal features have a child for each declared value.
    A numeric split scores its gain minus the bits that encode its threshold; each side needs a tenth of the mean class size.
    Cases with a missing value go down in fractions, in growth and in prediction.

    Source: Quinlan 1993; release 8, Quinlan 1996; Weka's J48 grows the same trees.

    >>> c45_policy(2) == C45
    True
    """
    nominal = multiway(empty=True, min_cases=min_cases)
    numeric = threshold(min_cases=c45_min_branch(min_cases), mdl=True, at="observed")
    return Policy(
        impurity=entropy,
        score=gain,
        splits=(nominal, numeric),
        choose=by_gain_ratio(),
        stop=pure() | min_rows(2 * as_plain(min_cases)) | no_gain(),
        missing=ignore(predict=weighted()),
    )


# Quinlan 1993: the growth policy as a value; `c45_policy` is the same with another `min_cases`, `ftree.c45` also prunes.
C45: Policy = c45_policy()
