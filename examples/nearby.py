"""Where the tables of the examples lie: in a folder beside the repository, which may not be there."""

from pathlib import Path

SHARED = Path(__file__).resolve().parents[2] / "shared"
VOTES = SHARED / "data" / "votes.csv"
AUTO_MPG = SHARED / "data" / "auto_mpg.csv"
SEMEION = SHARED / "uci" / "semeion.data"
