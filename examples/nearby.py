"""Where files of tables may lie: in the folder that FTREE_SHARED names, or else in `shared` beside the repository."""

import os
from pathlib import Path

SHARED = Path(os.environ.get("FTREE_SHARED", Path(__file__).resolve().parents[2] / "shared"))
VOTES = SHARED / "data" / "votes.csv"
AUTO_MPG = SHARED / "data" / "auto_mpg.csv"
SEMEION = SHARED / "uci" / "semeion.data"
