"""Scripts that write what tests read need libraries that only their writer has."""

collect_ignore_glob = ["others/made/*.py"]
