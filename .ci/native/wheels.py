"""Make the source archive and, from it, a wheel for each platform of ftree.native.build.TARGETS; then look into them.

Each wheel is made twice, with the same bytes. It has the sources of C as they are here, one library, and its digest; the library
needs nothing that Python's own process does not have.
"""

import argparse
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from itertools import product
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).parents[2]
# What libraries may take of the C runtime. Answers of libm may differ between machines, so none is among them.
OF_THE_RUNTIME = {"memcpy", "memset", "memmove"}
SMALL = 4_000_000  # bytes


def native_build() -> ModuleType:
    """The module that builds the library, by its path, since this environment has no NumPy."""
    spec = importlib.util.spec_from_file_location("native_build", HERE / "ftree/native/build.py")
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


build = native_build()


def made(kind: str, source: Path, folder: Path, **where: str) -> Path:
    """The archive that hatchling makes of a source tree."""
    line = [sys.executable, "-m", "build", "--no-isolation", f"--{kind}", "--outdir", str(folder), str(source)]
    done = subprocess.run(line, env=os.environ | where, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{done.stdout}\n{done.stderr}")
    return max(folder.iterdir(), key=lambda each: each.stat().st_mtime_ns)


def check(wheel: Path, tag: str, suffix: str) -> str:
    """A line about a wheel; an error about what is wrong with it."""
    with zipfile.ZipFile(wheel) as archive:
        parts = {Path(each): archive.read(each) for each in archive.namelist()}
    native = {path.name: parts[path] for path in parts if path.parent == Path("ftree/native")}
    libraries = [path for path in parts if path.suffix in {".so", ".dylib", ".dll", ".pyd"}]
    expect(libraries == [Path(f"ftree/native/{build.NAME}{suffix}")], f"one library, not {libraries}")
    for source in build.HERE.glob("*.[ch]"):
        expect(native.get(source.name) == source.read_bytes(), f"{source.name} as it is here")
    library = native[f"{build.NAME}{suffix}"]
    expect(build.digest().encode() + b"\0" in library, "the digest of the sources in the library")
    for variant in build.VARIANTS if tag.endswith(("x86_64", "amd64")) else ():
        expect(f"ftree_leaves{variant}\0".encode() in library, f"functions that end with {variant}")
    (about,) = (content.decode() for path, content in parts.items() if path.name == "WHEEL")
    tags = {f"py3-none-{each}" for each in tag.split(".")}
    expect(set(re.findall(r"Tag: (.*)", about)) == tags, f"the tags {tags}")
    expect("Root-Is-Purelib: false" in about, "a wheel that is not pure")
    expect(wheel.stat().st_size < SMALL, f"at most {SMALL} bytes")
    taken = needs(library)
    expect(taken is None or taken <= OF_THE_RUNTIME, f"a library that takes no {taken}")
    known = "not looked for" if taken is None else ", ".join(sorted(taken)) or "nothing"
    return f"{wheel.name}: {wheel.stat().st_size / 1e3:.0f} kB, the library {len(library) / 1e3:.0f} kB; it takes {known}"


def needs(library: bytes) -> set[str] | None:
    """What a library takes from others, as binutils tell; None for a format or a machine without them."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "library")
        file.write_bytes(library)
        if library.startswith(b"\x7fELF") and shutil.which("nm"):
            listed = subprocess.run(
                ["nm", "-D", "--undefined-only", str(file)], capture_output=True, text=True, check=True
            ).stdout
            return {line.split()[-1].split("@")[0] for line in listed.splitlines()}
        if library.startswith(b"MZ") and shutil.which("objdump"):
            listed = subprocess.run(["objdump", "-p", str(file)], capture_output=True, text=True, check=True).stdout
            imports = listed.partition("The Import Tables")[2].partition("The Export Tables")[0]
            return set(re.findall(r"^\s+[0-9a-f]+\s+\d+\s+(\w+)\s*$", imports, re.MULTILINE))
    return None


def expect(holds: bool, what: str) -> None:  # noqa: FBT001  # the claim
    """Stop unless a claim about a wheel holds."""
    if not holds:
        sys.exit(f"A wheel must have {what}.")


def make(folder: Path) -> None:
    """The source archive and the wheels in a folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    archive = made("sdist", HERE, folder)
    print(f"{archive.name}: {archive.stat().st_size / 1e3:.0f} kB")
    with tempfile.TemporaryDirectory() as room:
        with tarfile.open(archive) as packed:
            packed.extractall(room, filter="data")
        (source,) = Path(room).iterdir()
        again = Path(room, "again")
        again.mkdir()
        for (target, (tag, suffix)), place in product(build.TARGETS.items(), (folder, again)):
            wheel = made("wheel", source, place, FTREE_TARGET=target)
            if place == folder:
                print(check(wheel, tag, suffix))
            else:
                expect(wheel.read_bytes() == (folder / wheel.name).read_bytes(), "the same bytes each time")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=Path, default=HERE / "dist")
    make(parser.parse_args().into)
