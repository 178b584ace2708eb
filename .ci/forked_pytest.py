"""Pytest without its start-up time: a server that has imported what does not change forks a process for each call.

`forked_pytest.py serve SOCKET` waits for calls, and `forked_pytest.py call SOCKET ARGUMENT...` runs pytest with these
arguments in the current folder. A call that is killed takes its process with it.
"""

import os
import signal
import socket
import sys
import traceback
from pathlib import Path
from threading import Thread

HEAVY = ("numba", "numpy", "pytest", "hypothesis.strategies", "hypothesis.internal.conjecture.engine", "scipy.special", "toolz")


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
    """Run pytest as the caller would, and send its exit code."""
    import pytest  # noqa: PLC0415  # imported above, in the server

    text, outputs, _, _ = socket.recv_fds(call, 1 << 20, 2)
    folder, *arguments = text.decode().split("\0")
    for number, output in enumerate(outputs, 1):
        os.dup2(output, number)
    os.chdir(folder)
    sys.path[:0] = [folder]
    Thread(target=lambda: call.recv(1) or os._exit(137), daemon=True).start()  # the caller is gone
    try:
        code = int(pytest.main([*arguments, "-W", "ignore:Module already imported"]))
    except BaseException:  # noqa: BLE001  # whatever a changed module does
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    call.send(bytes([code]))
    os._exit(0)


def run(path: str, *arguments: str) -> int:
    """Call the server, and return pytest's exit code."""
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(path)
        socket.send_fds(server, ["\0".join([str(Path.cwd()), *arguments]).encode()], [1, 2])
        return (server.recv(1) or b"\1")[0]


if __name__ == "__main__":
    verb, *rest = sys.argv[1:]
    sys.exit(serve(*rest) if verb == "serve" else run(*rest))
