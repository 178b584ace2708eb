"""Trees made visible: text now, in the form Weka prints."""
