"""Where the tables of the examples lie: the tutorial's, and those in a folder beside the repository, which may not be there."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VOTES = ROOT / "docs" / "tutorials" / "votes.csv"
AUTO_MPG = ROOT.parent / "shared" / "data" / "auto_mpg.csv"
SEMEION = ROOT.parent / "shared" / "uci" / "semeion.data"
