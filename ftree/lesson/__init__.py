"""The lesson: growth step by step, calculations with their numbers, and exercises whose answers are checked with a reason."""

from ftree._lib import exported
from ftree.lesson.exercises import (
    CheckedAnswer as CheckedAnswer,
    Exercise as Exercise,
    ExerciseQuestion as ExerciseQuestion,
    exercise as exercise,
)
from ftree.lesson.growth_film import GrowthStep as GrowthStep, NodeScores as NodeScores, growth_steps as growth_steps
from ftree.lesson.worked_calculation import Calculation as Calculation, CalculationLine as CalculationLine, work_out as work_out

__all__, __dir__ = exported(globals())  # dir() shows public names only
