"""The lesson: growth step by step, calculations with their numbers, and exercises whose answers are checked with a reason.

growth_film.py, worked_calculation.py and exercises.py stand alone. tree_builder.py makes a page that computes what Python does:
builder_policies.py lists for which policies, builder_data.py writes its data, `builder_page/` has its scripts.

| to add | change | test in `tests/lesson` |
|---|---|---|
| an impurity to work out | `_FORMULAS` of `worked_calculation.py` | `test_worked_calculation.py` |
| a part of the page | as `builder_policies.py` tells | `drawn_policies.py`, for `test_builder_laws.py` |
| a target of the page | `RESPONSES`, `responses` of responses.js, `faces` of texts.js, `page_data` | `test_builder_laws.py` |

| after a change of | run in `tests/lesson` |
|---|---|
| growth_film.py, worked_calculation.py, exercises.py | the test of that name, and the file's doctests for what it prints |
| tree_builder.py, builder_policies.py, builder_data.py | `test_tree_builder.py`, `test_builder_laws.py` |
| a script that computes | `test_builder_laws.py`, which needs Node.js |
| a script that draws | `test_builder_in_browser.py -m consumer`, which needs Chromium |

A page has no Python, so its scripts search, grow and prune once more, row by row, for few rows and the parts of `PARTS`. Each of
their functions does what a function of Python does, and a law draws tables and policies for which both must agree. So change a
script together with its twin.

| in `builder_page/` | functions and tables | twin in `ftree` |
|---|---|---|
| table.js | decoded | lesson.builder_data.page_data |
| responses.js | responses, add | tree.response.classes, tree.response.numbers |
| rows.js | partOf, runOf | growth.engines.plain_engine.Plain, splitters.runs.Runs |
| scores.js | impurities, sumOver, scores | criteria.impurity, criteria.scores |
| | decreaseInImpurity, sumsOfAll, meanOverChildren | criteria.scores.gain |
| | varianceBetween | criteria.impurity_of_sums.Variance.impurity_decrease |
| | pValue, upperTail | criteria.scores.pearson, criteria.scores.p_value |
| splits.js | firstBest | splitters.runs.first_best |
| | leastCases, cutsOf, inTwo | splitters.cuts.least_weight, splitters.cuts.best_cuts, splitters.cuts.two_sides |
| | thresholdAfter | splitters.thresholds.cut_after, routing.counting.at_observed |
| | splitters, bestOrder, bestOfAllWays | splitters.threshold, splitters.multiway, splitters.subset |
| | bestSplit | explain.feature_scores.FeatureScore |
| search.js | choices, rules | splitters.feature_choice, stop |
| | searched, inOrder | growth.search.search, explain.feature_scores.scores_of_node |
| routing.js | splitTypes, childIn | tree.splits, tree.splits.split.child_of |
| | shares, divided | routing.missing_rules, routing.missing_rules.divide_weights |
| | answerOfRow, leavesReached, assessed | routing.predict, routing.reach, routing.scoring |
| trees.js | branchOf, grown | growth.definition, growth.grow |
| | levelOrder, replaced, rebuilt | tree.edit.replace_at, tree.edit.renew |
| | written, exactSums | saving.to_json, tree.response.numbers.wholes |
| pruning.js | weakestLinks, linksOf | prune.cost_complexity_path, prune.weakest_links.weakest_links |
| | reducedError, testCases, lossIn | prune.reduced_error, routing.recount |
| texts.js | faces, condition | show.text, tree.describe.condition |
| | valueText, timeText, durationText | tree.formats.format_exactly, tree.formats.format_time |
"""

from typing import TYPE_CHECKING

from ftree._lib import on_first_use

if TYPE_CHECKING:
    from ftree.lesson.exercises import (
        CheckedAnswer as CheckedAnswer,
        Exercise as Exercise,
        ExerciseQuestion as ExerciseQuestion,
        Solutions as Solutions,
        exercise as exercise,
        exercise_on as exercise_on,
    )
    from ftree.lesson.growth_film import GrowthStep as GrowthStep, NodeScores as NodeScores, growth_steps as growth_steps
    from ftree.lesson.tree_builder import builder as builder, challenge as challenge
    from ftree.lesson.worked_calculation import (
        Calculation as Calculation,
        CalculationLine as CalculationLine,
        work_out as work_out,
    )
else:
    on_first_use(__name__)
