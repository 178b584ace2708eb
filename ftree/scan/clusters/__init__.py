"""Tables of clusters as sources: Dask, Ray and Spark, one a file. The public names stand in `ftree.scan`."""
