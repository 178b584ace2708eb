"""Trees of other libraries, read and written, one library a file. The libraries are imported on first use."""
