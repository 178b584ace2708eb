"""Trees of other libraries, read and written, one library a file.

    scikit_learn.py, ydf.py, boosted.py, rpart_tables.py, weka_text.py    one library, or two of one form
    from_pmml.py        PMML of any program; pmml_predicates.py: its predicates as conditions
    readers.py          what readers share: nodes by numbers; split_readers.py: splits of what is said of children
    only_thresholds.py  trees for programs that know no other splits

The libraries are imported on first use.
"""
