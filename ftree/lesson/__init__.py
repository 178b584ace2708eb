"""The lesson: growth step by step, calculations with their numbers, and exercises whose answers are checked with a reason."""

from ftree.lesson.exercises import CheckedAnswer, Exercise, ExerciseQuestion, exercise
from ftree.lesson.growth_film import GrowthStep, NodeScores, growth_steps
from ftree.lesson.worked_calculation import Calculation, CalculationLine, work_out

__all__ = [
    "Calculation",
    "CalculationLine",
    "CheckedAnswer",
    "Exercise",
    "ExerciseQuestion",
    "GrowthStep",
    "NodeScores",
    "exercise",
    "growth_steps",
    "work_out",
]
__dir__ = __all__.copy  # dir() shows public names only
