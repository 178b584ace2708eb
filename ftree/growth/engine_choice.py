"""The choice of an engine: the native library, which grows depth first, NumPy level by level, or a user's own engine."""

from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from ftree import native
from ftree._lib.fields import require_n_jobs
from ftree._lib.messages import short_repr

if TYPE_CHECKING:
    from ftree.growth.engines.engine import Start

# Names of engines: the native library if it is here, NumPy alone, and the native library or an error.
EngineName: TypeAlias = Literal["auto", "plain", "compiled"]
# An engine by its name, or a user's function that starts one.
EngineChoice: TypeAlias = "EngineName | Start"


def check_engine_choice(engine: EngineChoice, n_jobs: int | None) -> None:
    """Refuse an unknown engine, and a number of threads that is not a whole number from 1."""
    if isinstance(engine, str) and engine == "compiled" and not native.is_here():
        wanted = "engine='compiled' needs the native library, which is not here"
        raise ImportError(f"{wanted}: {native.REMEDY} The default needs nothing.")
    if not callable(engine) and not (isinstance(engine, str) and engine in get_args(EngineName)):
        message = f"engine must be one of {get_args(EngineName)}, or a function that starts an engine, got {short_repr(engine)}."
        raise ValueError(message)
    require_n_jobs(n_jobs)


def is_native(choice: EngineChoice) -> bool:
    """Whether the native library grows the trees that it knows: it is here, and no other engine is requested."""
    return choice in ("auto", "compiled") and native.is_here()
