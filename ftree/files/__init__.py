"""Files of tables: delimited text, Parquet, Arrow, JSON lines and ARFF, as columns before they are coded."""

__all__: list[str] = []  # `Dataset.read` is their public name
