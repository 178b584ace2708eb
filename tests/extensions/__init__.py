"""Users' parts, one a file: public names only, no base class, nothing to register."""

# It is a package so that its files may have the names of other tests.
