"""The hook of hatchling that compiles the native library: into a wheel or, for an editable install, beside its sources."""

import importlib.util
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.tags import sys_tags

# By its path, since the package needs NumPy, which a build does not have.
_SPEC: Any = importlib.util.spec_from_file_location("native_build", Path(__file__).parents[1] / "ftree/native/build.py")
native = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(native)


class NativeLibrary(BuildHookInterface[Any]):
    """Adds the library, and the platform's tag to the wheel's name."""

    def dependencies(self) -> list[str]:
        """What the build needs besides hatchling."""
        needed: list[str] = native.requirements()
        return needed

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, unless this is asked to be a wheel of Python alone."""
        if native.is_off() or not (native.target() or native.compiler() or native.requirements()):
            self.app.display_warning("Building without the native library; NumPy does its work.")
            return
        tag, suffix = native.TARGETS.get(native.target(), (self._here(), native.SUFFIX))
        if version == "editable":
            if not native.is_current():
                native.build()
        else:
            self.folder = TemporaryDirectory()
            made = native.build(Path(self.folder.name) / f"{native.NAME}{suffix}")
            build_data["force_include"][str(made)] = f"ftree/native/{made.name}"
        build_data |= {"pure_python": False, "tag": f"py3-none-{tag}"}

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002  # hatchling's names
        """Remove the library that the wheel has taken."""
        if hasattr(self, "folder"):
            self.folder.cleanup()

    @staticmethod
    def _here() -> str:
        """The tag of this platform alone, since a library made here needs what is here."""
        return next(tag.platform for tag in sys_tags() if not tag.platform.startswith(("manylinux", "musllinux")))
