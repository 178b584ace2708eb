"""Files of tables: delimited text, Parquet, Arrow, JSON lines and ARFF, as columns before they are coded."""
