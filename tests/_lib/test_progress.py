"""A progress line: shown only if requested, and ended only if it was begun."""

from ftree._lib.progress import progress


def test_nothing_is_written_where_there_is_nothing_to_say(capsys):
    with progress(shown=True):
        pass
    with progress(shown=False) as line:
        line.write("unseen")
    assert capsys.readouterr() == ("", "")


def test_a_shorter_text_covers_a_longer_one_and_the_line_ends(capsys):
    with progress(shown=True) as line:
        line.write("longer")
        line.write("short")
    assert capsys.readouterr().err == "\rlonger\rshort \n"
