"""Jobs on other processes and machines, through joblib, dask or ray."""
