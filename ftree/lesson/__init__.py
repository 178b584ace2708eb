"""The lesson: growth step by step, calculations with their numbers, and exercises whose answers are checked with a reason.

growth_film.py, worked_calculation.py and exercises.py stand alone. tree_builder.py makes a page that computes what Python does:
builder_policies.py lists for which policies, builder_data.py writes its data, `builder_page/` has its scripts.

| to add | change | test in `tests/lesson` |
|---|---|---|
| an impurity to work out | `_FORMULAS` of `worked_calculation.py` | `test_worked_calculation.py` |
| a part of the page | as `builder_policies.py` tells | `drawn_policies.py`, for `test_builder_laws.py` |
| a target of the page | `RESPONSES`, `responses` of responses.js, `faces` of texts.js, `page_data` | `test_builder_laws.py` |
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
