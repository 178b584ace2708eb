"""Ctrl-C within a block that must end takes effect at its end."""

import signal
import threading

import pytest

from ftree._lib.waiting import interrupts_deferred


@pytest.fixture
def heeded():
    """Ctrl-C raises KeyboardInterrupt, also in a process that a shell has started in the background, deaf to it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeded")
def test_an_interrupt_takes_effect_at_the_end_of_the_block():
    done = []

    def work():
        with interrupts_deferred():
            signal.raise_signal(signal.SIGINT)
            done.append("the rest of the block")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("heeded")
def test_an_ignored_interrupt_stays_ignored_and_without_one_nothing_happens():
    with interrupts_deferred():
        pass
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with interrupts_deferred():
            signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)


def test_threads_leave_the_handler_alone():
    handlers = []

    def work():
        with interrupts_deferred():
            handlers.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert handlers == [signal.getsignal(signal.SIGINT)]


def test_several_interrupts_of_a_block_count_as_the_first_one():
    heard = []
    before = signal.signal(signal.SIGINT, lambda number, frame: heard.append((number, frame.f_code.co_name)))

    def first_part():
        signal.raise_signal(signal.SIGINT)

    def second_part():
        signal.raise_signal(signal.SIGINT)

    try:
        with interrupts_deferred():
            first_part()
            second_part()
            assert heard == []
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard == [(signal.SIGINT, "first_part")]
