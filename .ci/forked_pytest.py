"""Pytest without its start-up time: a server that has imported what does not change forks a process for each call.

`forked_pytest.py serve SOCKET` waits for calls, and `forked_pytest.py call SOCKET DURATIONS ARGUMENT...` runs pytest with these
arguments in the current folder. A call that is killed takes its process with it. So does one that takes more processor time than
its tests did, by the output of `pytest --durations=0` in a file, several times over: it exits with 137, as if it had been killed.
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

HEAVY = ("numba", "numpy", "pytest", "hypothesis.strategies", "hypothesis.internal.conjecture.engine", "scipy.special", "toolz")

# Seconds of processor time: to import and collect, for tests that are no single ones, and how often those of single tests.
START, WHOLE_FILES, TIMES = 15, 200, 4
# Bytes of memory, since some changes never stop to ask for more.
MEMORY = 3 << 30


def serve(path: str) -> None:
    """Fork a process for each call. The project is not imported here, so that each call reads its files as they are."""
    for name in HEAVY:
        __import__(name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # no process stays behind as a zombie
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


def limit_of(durations: str, arguments: tuple[str, ...]) -> int:
    """Seconds that no healthy run of the tests takes; other arguments, such as whole files, take their time as well."""
    tests = {line for each in arguments if each[0] == "@" for line in Path(each[1:]).read_text().splitlines()}
    times = re.findall(r"^(\d+\.\d+)s (?:call|setup|teardown) +(\S.*)$", Path(durations).read_text(), re.MULTILINE)
    unknown = any(each.startswith("tests/") for each in (*arguments, *tests) if "::" not in each)
    return START + (WHOLE_FILES if unknown else 0) + ceil(TIMES * sum(float(time) for time, test in times if test in tests))


def run(path: str, durations: str, *arguments: str) -> int:
    """Call the server, and return pytest's exit code."""
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(path)
        words = [str(Path.cwd()), str(limit_of(durations, arguments)), *arguments]
        socket.send_fds(server, ["\0".join(words).encode()], [1, 2])
        return (server.recv(1) or b"\1")[0]


if __name__ == "__main__":
    verb, *rest = sys.argv[1:]
    sys.exit(serve(*rest) if verb == "serve" else run(*rest))
