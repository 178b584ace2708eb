"""Compiles the native library; by hand: python ftree/native/build.py. Standard library only, since a build has no NumPy.

`CC` names a compiler, `CFLAGS` and `LDFLAGS` add to its command, `FTREE_NATIVE=off` builds without a library, and `FTREE_TARGET`
names a platform of `TARGETS` that zig compiles for. `FTREE_LIBRARY` names another file for the library, to build and to load.
"""

import importlib.util
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

HERE = Path(__file__).parent
SUFFIX = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
NAME = "ftree.library"  # with a dot, since Python takes other names for modules
LIBRARY = Path(os.environ.get("FTREE_LIBRARY") or HERE / f"{NAME}{SUFFIX}").absolute()
# Without -ffp-contract=off a compiler may fuse a*b + c, and bits would differ between processors.
FLAGS = (
    "-std=c17",
    "-O3",
    "-g0",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fopenmp-simd",
    "-fvisibility=hidden",
    "-Wall",
    "-Wextra",
)
_AVX2 = "-mavx2", "-mbmi", "-mbmi2", "-mpopcnt"
# The suffixes of functions that are compiled again for newer processors, and how: `ftree_processor` knows what they need.
VARIANTS: dict[str, tuple[str, ...]] = {
    "": (),
    "_avx2": _AVX2,
    "_avx512": (*_AVX2, "-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", "-mavx512vpopcntdq"),
}
# A library for other machines has no C runtime: so glibc and musl share one, where a process has memcpy and memset. Windows finds
# them only in a library that is named, and what looks at the pages of a large stack frame in the compiler's own.
_ALONE = "-ffreestanding", "-nostdlib", "-s"  # the names of debuggers would differ in each build
_RUNTIME_OF_WINDOWS = "-lucrtbase", "-lcompiler_rt"
# Platforms of zig, with the tags of their wheels and the suffixes of their libraries.
TARGETS = {
    "x86_64-linux-gnu.2.17": ("manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64", ".so"),
    "aarch64-linux-gnu.2.17": ("manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64", ".so"),
    "x86_64-macos.10.13": ("macosx_10_13_x86_64", ".dylib"),
    "aarch64-macos.11.0": ("macosx_11_0_arm64", ".dylib"),
    "x86_64-windows-gnu": ("win_amd64", ".dll"),
}
_ZIG = "ziglang>=0.13"
_ZIG_MACHINES = "x86_64", "amd64", "aarch64", "arm64"


def digest() -> str:
    """The name of the sources and flags, which the library carries; a C identifier, so that no shell changes it."""
    state = sha256(repr((FLAGS, VARIANTS)).encode())
    for file in sorted([*HERE.glob("*.c"), *HERE.glob("*.h")]):
        state.update(b"\0" + file.name.encode() + b"\0" + file.read_bytes().replace(b"\r\n", b"\n"))
    return "d" + state.hexdigest()[:32]


def is_off() -> bool:
    """Whether FTREE_NATIVE=off asks for NumPy alone.

    >>> is_off()
    False
    """
    return os.environ.get("FTREE_NATIVE", "").lower() == "off"


def target() -> str:
    """The platform that FTREE_TARGET names; empty for this one."""
    name = os.environ.get("FTREE_TARGET", "")
    if name and name not in TARGETS:
        raise SystemExit(f"FTREE_TARGET must be one of {', '.join(TARGETS)}, got {name}.")
    return name


def compiler() -> list[str]:
    """The command of the compiler that is there; empty where none is."""
    if os.environ.get("CC"):
        return shlex.split(os.environ["CC"], posix=sys.platform != "win32")
    return next(([name] for name in ("cc", "gcc", "clang") if shutil.which(name)), [])


def requirements() -> list[str]:
    """What a build needs from the package index: zig, where no compiler is here or the library is for another platform."""
    known = sys.platform in {"linux", "darwin", "win32"} and platform.machine().lower() in _ZIG_MACHINES
    return [_ZIG] if not is_off() and (target() or (known and not compiler())) else []


def commands(output: Path) -> tuple[list[list[str]], list[str]]:
    """The commands that compile each source for each variant, into objects beside the library, and the one that links these."""
    other, system = target(), target() or sys.platform
    found = [] if other else compiler()
    if not found:
        if importlib.util.find_spec("ziglang") is None:
            raise SystemExit(
                "No C compiler was found: install gcc, clang or ziglang, or build without a library by FTREE_NATIVE=off."
            )
        found = [sys.executable, "-m", "ziglang", "cc", "-mcpu=baseline", *(("-target", other, *_ALONE) if other else ())]
    windows = system == "win32" or "windows" in system
    own, more = (shlex.split(os.environ.get(name, "")) for name in ("CFLAGS", "LDFLAGS"))
    flags = [*found, *FLAGS, *([] if windows else ["-fPIC"])]
    machine = other or subprocess.run([*found, *own, "-dumpmachine"], capture_output=True, text=True, check=False).stdout  # noqa: S603
    compiles = {}
    for suffix, newer in VARIANTS.items() if machine.startswith("x86_64") else [("", ())]:
        for file in sorted(HERE.glob("*.c")):
            made = str(output.with_name(f"{file.stem}{suffix}.o"))
            known = [f"-DFTREE_DIGEST={digest()}"] if file.stem == "about" else []  # others compile as before
            compiles[made] = [*flags, *known, *newer, *_with_suffix(suffix), *own, "-c", str(file), "-o", made]
    link = [*flags, "-shared"]
    if "macos" in system or system == "darwin":
        link += [f"-Wl,-install_name,@rpath/{NAME}.dylib"]
    if other and windows:
        more = [*_RUNTIME_OF_WINDOWS, *more]
    return list(compiles.values()), [*link, *own, *compiles, "-o", str(output), *more]


def _with_suffix(suffix: str) -> list[str]:
    """Flags by which all names that C's files share end with a suffix."""
    text = "".join(file.read_text(encoding="utf-8") for file in HERE.glob("*.c"))
    names = sorted(set(re.findall(r"\b(?:ftree_\w+|DllMainCRTStartup)(?=\()", text)))
    return [f"-D{name}={name}{suffix}" for name in names if suffix]


def build(output: Path = LIBRARY) -> Path:
    """Compile the library beside its place and move it there, since a process may use the old one; the place."""
    with tempfile.TemporaryDirectory(dir=output.parent, prefix=".build-") as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        made = Path(folder) / output.name
        compiles, link = commands(made)
        if not all(pool.map(_succeeds, compiles)) or not _succeeds(link):
            raise SystemExit("The native library did not compile; FTREE_NATIVE=off builds without it.")
        made.replace(output)
    return output


def is_current(library: Path = LIBRARY) -> bool:
    """Whether a library is there that these sources made; flags of one's own always ask for a new one."""
    return not os.environ.get("CFLAGS") and library.exists() and digest().encode() in library.read_bytes()


def _succeeds(command: list[str]) -> bool:
    return subprocess.run(command, check=False).returncode == 0  # noqa: S603  # the compiler that the user has chosen


if __name__ == "__main__" and not is_current():
    build()
