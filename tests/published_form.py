"""The published form of JSON, by which every text that the library writes is valid."""

import json
from importlib.resources import files

from jsonschema import Draft202012Validator

from ftree import from_json, to_json

FORM = Draft202012Validator(json.loads(files("ftree.exchange").joinpath("ftree.schema.json").read_text()))


def written_and_read(value, **options):
    """The value read back, after its text has been checked against the published form."""
    text = to_json(value)
    FORM.validate(json.loads(text))
    return from_json(text, **options)
