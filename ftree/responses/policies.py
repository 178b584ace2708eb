"""Policies as a response: a node answers with the action that earns most, and loses what better actions would have earned."""

from typing import Any

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import Array, Floats
from ftree.tree.schema import as_names


def _actions(names: Any) -> tuple[str, ...]:
    return as_names(names, "actions must be two or more columns", least=2)


@frozen
class policy:  # named like a function
    """The response of a policy: a node answers with the name of the action whose rewards have the largest sum.

    `actions` are the columns of rewards, one for each action: what a row earns by it. Where a row tells the reward of one action
    only, give estimates of the others, such as doubly robust scores. A row loses its regret: the reward of its best action,
    less that of the answer. So a tree of least loss earns most. Of equal actions, the first is the answer.

    Raises a ValueError for fewer than two actions, or one that is repeated.

    Source: Athey & Wager 2021; Sverdrup et al. 2020 (policytree), whose trees `optimal` finds.

    >>> treat = policy(["wait", "operate"])
    >>> treat.answer(2.0, 3.0, 5.0, 6.0).tolist(), float(treat.loss("operate", 2.0, 3.0, 5.0, 6.0))
    ('operate', 1.0)
    """

    actions: tuple[str, ...] = field(converter=_actions)
    kind = "policies"

    @property
    def labels(self) -> tuple[str, ...]:
        """The actions, which are the answers."""
        return self.actions

    @property
    def target(self) -> str:
        """The first action."""
        return self.actions[0]

    @property
    def further_targets(self) -> tuple[str, ...]:
        """The other actions."""
        return self.actions[1:]

    @property
    def channels(self) -> tuple[str, ...]:
        """The cases, the rewards of each action, and those of each row's best one."""
        return "cases", *self.actions, "best of each row"

    def add(self, *rewards: Floats) -> list[Floats]:
        """The reward of each action, and the largest."""
        return [*rewards, np.max(rewards, axis=0)]

    def answer(self, _: Any, *sums: Any) -> Array:
        """The name of the action that earns most."""
        best: Array = np.array(self.actions)[np.argmax(np.broadcast_arrays(*sums[:-1]), axis=0)]
        return best

    def loss(self, answer: Any, _: Any, *sums: Any) -> Any:
        """The regret."""
        chosen = np.asarray(answer)
        return sums[-1] - sum(np.where(chosen == name, earned, 0.0) for name, earned in zip(self.actions, sums, strict=False))

    def figure(self, cases: Any, *sums: Any) -> Any:
        """How much more the last action earns a case than the first."""
        return (sums[-2] - sums[0]) / np.where(cases > 0, cases, 1.0)
