"""Repeat calls that tests have made by the libraries out of the wheels in dist, bit for bit, on each machine that is here.

qemu-user (with Debian's libc6-arm64-cross) runs aarch64, wine64 Windows, Debian's musl a Linux without glibc; ARM_MUSL names a
folder with the unpacked files of musl for arm64. What is not here is skipped, which the output says.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from record import described

from ftree import native
from ftree.native.build import NAME, TARGETS, VARIANTS

HERE, WHEELS, ROOM, ZIG = Path(__file__).parent, Path("dist"), Path("build/replay"), "build/zig/bin/python"
CALLS = ROOM / "calls"
RUNNERS = (  # the wheel's platform, the harness's, the command before it
    ("x86_64-linux-gnu.2.17", "x86_64-linux-gnu.2.17", []),
    ("x86_64-linux-gnu.2.17", "x86_64-linux-musl", ["/lib/ld-musl-x86_64.so.1"]),
    ("aarch64-linux-gnu.2.17", "aarch64-linux-gnu.2.17", ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"]),
    ("aarch64-linux-gnu.2.17", "aarch64-linux-musl", ["qemu-aarch64", "-L", os.environ.get("ARM_MUSL", "build/arm_musl")]),
    ("x86_64-windows-gnu", "x86_64-windows-gnu", ["/usr/lib/wine/wine64"]),
)
C_KINDS = {  # the letter, type and member of `Value` by which replay.c knows each kind of argument
    "read": ("r", "const void *", "p"),
    "written": ("w", "void *", "p"),
    "memory": ("m", "void *", "p"),
    "double": ("d", "double", "f"),
    "whole": ("i", "int64_t", "i"),
}


def header() -> str:
    """The table of signatures as C; casts must name all types, since Windows and others pass doubles in different places."""
    kinds = {name: described(signature) for name, signature in native.SIGNATURES.items()}
    names = ", ".join(f'"ftree_{name}"' for name in kinds)
    letters = ", ".join('"' + "".join(C_KINDS[each][0] for each in own) + '"' for own in kinds.values())
    variants = ", ".join(f'"{each}"' for each in VARIANTS)
    cases = "".join(
        f"    case {i}: return ((int64_t (*)({', '.join(C_KINDS[each][1] for each in own)}))function)"
        f"({', '.join(f'v[{j}].{C_KINDS[each][2]}' for j, each in enumerate(own))});\n"
        for i, own in enumerate(kinds.values())
    )
    return (
        f"#define N_FUNCTIONS {len(kinds)}\nstatic const char *NAMES[] = {{{names}}}, *KINDS[] = {{{letters}}};\n"
        f"static const char *VARIANTS[] = {{{variants}}};\n"
        "static int64_t called(int64_t which, void *function, const Value *v)\n{\n    switch (which) {\n"
        f"{cases}    }}\n    return -1;\n}}\n"
    )


def library_of(target: str) -> Path:
    """The library of a platform, out of its wheel."""
    tag, suffix = TARGETS[target]
    (wheel,) = WHEELS.glob(f"*-{tag}.whl")
    with zipfile.ZipFile(wheel) as archive:
        return Path(archive.extract(f"ftree/native/{NAME}{suffix}", ROOM / target))


def harness_for(target: str) -> Path:
    """The program that repeats calls on a platform."""
    program = ROOM / (f"replay-{target}" + ".exe" * ("windows" in target))
    line = [ZIG, "-m", "ziglang", "cc", "-mcpu=baseline", "-O2", "-g0", "-target", target, "-I", str(ROOM)]
    subprocess.run([*line, *["-dynamic"] * ("musl" in target), str(HERE / "replay.c"), "-o", str(program)], check=True)
    return program


def main() -> None:
    """Repeat the stored calls everywhere; the number of platforms that differ is the exit code."""
    (ROOM / "calls.h").write_text(header(), encoding="utf-8")
    # Outside the project, since wine links the whole disk there, and hatchling follows links.
    where = os.environ | {"WINEPREFIX": str(Path(tempfile.gettempdir(), "ftree-wine")), "WINEDEBUG": "-all"}
    differing = 0
    for wheel_of, target, before in RUNNERS:
        if before and not (shutil.which(before[0]) and all(Path(each).exists() for each in before[2:])):
            print(f"{target}: skipped, since there is no {' '.join(before)}")
            continue
        line = [*before, str(harness_for(target)), str(library_of(wheel_of)), str(CALLS)]
        done = subprocess.run(line, env=where, capture_output=True, text=True, check=False)
        differing += done.returncode != 0
        print(f"{target}: {done.stdout.strip()} {done.stderr.strip()[-200:] if done.returncode else ''}", flush=True)
    for target in TARGETS:
        if target not in {each for each, *_ in RUNNERS}:
            print(f"{target}: only linked, not run")
    sys.exit(differing)


if __name__ == "__main__":
    main()
