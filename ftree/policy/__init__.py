"""Growth policies: a policy is a record of small pure functions, and the famous algorithms are policies.

`evolve(ID3, impurity=gini)` changes one part and returns a new algorithm. A policy only grows trees: `ftree.algorithms`
has `id3`, `c45`, `cart` and `chaid`, which grow and prune in one call. growth_policy.py has the record, which checks that each
part has its role, and famous_policies.py its famous values.
"""

from typing import TYPE_CHECKING

from ftree._lib import on_first_use

if TYPE_CHECKING:
    from ftree.policy.famous_policies import (
        C45 as C45,
        CART as CART,
        CHAID as CHAID,
        c45_policy as c45_policy,
        cart_policy as cart_policy,
    )
    from ftree.policy.growth_policy import ID3 as ID3, Policy as Policy
else:
    on_first_use(__name__)
