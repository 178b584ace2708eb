"""Files of tables as columns before they are coded.

read_files       the format of a path, a glob or a buffer (sources), and the function that reads it:
  delimited      CSV and TSV, by pyarrow where a file is large and regular (csv_by_arrow), else by Python (csv_by_python);
                 both make the columns of csv_columns
  typed_files    Parquet, Arrow and Feather
  json_lines     JSON lines
  arff           Weka's ARFF
"""

__all__: list[str] = []  # `Dataset.read` is their public name
