"""The lesson."""

from ftree.lesson.growth_film import GrowthStep, NodeScores, growth_steps
from ftree.lesson.worked_calculation import Calculation, work_out

__all__ = ["Calculation", "GrowthStep", "NodeScores", "growth_steps", "work_out"]
