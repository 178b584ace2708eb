"""Pytest without its start-up time: a server that has imported the unchanging modules forks a process for each call.

`forked_pytest.py serve SOCKET` waits for calls. `forked_pytest.py call SOCKET DURATIONS SECONDS ARGUMENT...` runs pytest with
these arguments in the current folder; from tests in a file (`@FILE`) it takes as many as fit in that number of seconds,
according to the output of `pytest --durations=0` in another file. A killed call takes its process with it. A call that takes
several times the processor time of its tests exits with 137, as if it had been killed.
"""

import os
import re
import resource
import signal
import socket
import sys
import traceback
from contextlib import suppress
from math import ceil
from pathlib import Path
from threading import Thread

HEAVY = ("numpy", "pytest", "hypothesis.strategies", "hypothesis.internal.conjecture.engine", "scipy.special", "toolz")

# Seconds of processor time: to import and collect, for whole files of tests, and the allowed multiple for single tests.
START, WHOLE_FILES, TIMES = 8, 60, 4
# Bytes of memory, since some changes allocate without end.
MEMORY = 3 << 30


def serve(path: str) -> None:
    """Fork a process for each call. The project is not imported here, so that each call reads the present files."""
    for name in HEAVY:
        __import__(name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # no process remains as a zombie
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path)
        server.listen()
        while True:
            call, _ = server.accept()
            if os.fork() == 0:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                answer(call)
            call.close()


def answer(call: socket.socket) -> None:
    """Run pytest as the caller would in one more process, and send its exit code."""
    text, outputs, _, _ = socket.recv_fds(call, 1 << 20, 2)
    folder, limit, *arguments = text.decode().split("\0")
    worker = os.fork()
    if worker == 0:
        work(folder, int(limit), arguments, outputs)
    Thread(target=stop_when_left, args=(call, worker), daemon=True).start()
    code = os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1])
    call.send(bytes([137 if -code in {signal.SIGXCPU, signal.SIGKILL} else 1 if code < 0 else code]))
    os._exit(0)


def stop_when_left(call: socket.socket, worker: int) -> None:
    """Kill a process when its caller has gone."""
    with suppress(ProcessLookupError):  # it may have ended as well
        call.recv(1) or os.kill(worker, signal.SIGKILL)


def work(folder: str, limit: int, arguments: list[str], outputs: list[int]) -> None:
    """Run pytest in a folder with a limit of processor time, and exit with its code."""
    import pytest  # noqa: PLC0415  # imported above, in the server

    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    for number, output in enumerate(outputs, 1):
        os.dup2(output, number)
    os.chdir(folder)
    sys.path[:0] = [folder]
    try:
        code = int(pytest.main([*arguments, "-W", "ignore:Module already imported"]))
    except BaseException:  # noqa: BLE001  # whatever a changed module does
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    os._exit(code)


def seconds_of(durations: str) -> dict[str, float]:
    """The time of each test, with its fixtures, from the output of `pytest --durations=0`; tests without time are not listed."""
    found: dict[str, float] = {}
    for time, test in re.findall(r"^(\d+\.\d+)s (?:call|setup|teardown) +(\S.*)$", Path(durations).read_text(), re.MULTILINE):
        found[test] = found.get(test, 0.0) + float(time)
    return found


def run(path: str, durations: str, budget: str, *arguments: str) -> int:
    """Call the server, and return pytest's exit code. Of the tests in a file, it runs those for which the budget suffices."""
    seconds, total, tests = seconds_of(durations), 0.0, list[str]()
    for place in (Path(each[1:]) for each in arguments if each[0] == "@"):
        for test in place.read_text().splitlines():
            took = seconds.get(test, 0.0)
            if not tests or total + took <= float(budget):
                tests.append(test)
                total += took
        place.write_text("\n".join(tests))
    whole = any(each.startswith("tests/") for each in arguments) or any("::" not in test for test in tests)
    limit = START + (WHOLE_FILES if whole else 0) + ceil(TIMES * total)
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(path)
        socket.send_fds(server, ["\0".join([str(Path.cwd()), str(limit), *arguments]).encode()], [1, 2])
        return (server.recv(1) or b"\1")[0]


if __name__ == "__main__":
    verb, *rest = sys.argv[1:]
    sys.exit(serve(*rest) if verb == "serve" else run(*rest))
