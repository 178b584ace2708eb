"""Files of tables as columns before they are coded: delimited text, Parquet, Arrow, JSON lines and ARFF.

`sources` finds and opens files, and `read_files` calls the function that reads their format into a `file_table`. `delimited` has
two readers of text, both for the columns of `csv_columns`: pyarrow's for large regular files (`csv_by_arrow`), and Python's
(`csv_by_python`). `typed_files` reads Parquet and Arrow; `json_lines` and `arff` are as their names say.
"""

__all__: list[str] = []  # `Dataset.read` is their public name
