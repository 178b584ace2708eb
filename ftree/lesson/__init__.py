"""The lesson: growth step by step, calculations with their numbers, and exercises whose answers are checked with a reason."""

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
