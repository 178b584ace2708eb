"""scikit-learn's interface: a classifier and a regressor that grow a tree by a policy and prune it by a pass.

    TreeClassifier, TreeRegressor    estimators.py        grow, prune, predict
      policy=, prune=, max_depth=    policy_and_pass.py     the policy and the pass that the arguments say
      policy__stop__limit                                   parts of both as parameters, for a search over them
      X, y, sample_weight            training_sets.py       a dataset, and cases held back for the pass

To add a name of scikit-learn: `_MEANINGS` of policy_and_pass.py, a field in estimators.py, `test_sklearn_names.py`.

| after a change of | run first, in `tests/estimator` |
|---|---|
| estimators.py | `test_classifier.py`, `test_regressor.py`, `test_classifier_frames.py` |
| policy_and_pass.py | `test_parameters.py`, `test_sklearn_names.py` |
| training_sets.py | `test_fitting.py` |
| any of them | `test_sklearns_own.py` and `test_with_others.py`, the tests of scikit-learn, last: they take longest |

`import ftree` does not load scikit-learn; this package does. It needs version 1.6 or later.
"""

from ftree._lib.messages import how_to_install

try:
    from sklearn.utils.validation import validate_data  # noqa: F401  # new in 1.6, so its absence shows an old version
except ImportError as error:
    _MESSAGE = f"scikit-learn 1.6 or later must be installed for ftree.estimator. {how_to_install('sklearn')}"
    raise ImportError(_MESSAGE) from error

from ftree.estimator.estimators import TreeClassifier, TreeRegressor
from ftree.estimator.policy_and_pass import DEFAULT_POLICY

__all__ = ["DEFAULT_POLICY", "TreeClassifier", "TreeRegressor"]
__dir__ = __all__.copy  # dir() shows public names only
