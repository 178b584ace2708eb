"""Tables of clusters as sources, whose public names stand in `ftree.scan`.

dask_table.py, ray_table.py and spark_table.py have one each; packed_part.py is a part on its way to the caller.
"""
