"""Words of 64 bits."""

import numpy as np

from ftree._lib.jit import inlined

_ONES, _TWOS, _FOURS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)
_BYTES, _S1, _S2, _S4, _S56 = np.uint64(0x0101010101010101), np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)


@inlined
def ones_in(word):
    """The number of ones in 64 bits; the compiler recognises the pattern and emits one instruction."""
    word = word - ((word >> _S1) & _ONES)
    word = (word & _TWOS) + ((word >> _S2) & _TWOS)
    word = (word + (word >> _S4)) & _FOURS
    return (word * _BYTES) >> _S56
