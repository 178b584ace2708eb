"""Trees of other libraries: read from them, and written for them, one library a file. They are imported when asked for."""
