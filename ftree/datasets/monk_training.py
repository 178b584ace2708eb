"""The published training sets of the MONK's problems: the numbers of their robots, typed from the archive's files."""

import numpy as np

from ftree._lib.arrays import Array

# One bit for each of the 432 robots, in hexadecimal digits: whether the robot is in the training set.
_MEMBERS = {
    1: "0c0024300a40698d2110071c22225b1057a30cdb021909123804d587200280884904e004c09010901410814100c400a2a10571870055",
    2: "12ea22c00b50405edf220acf5c36190e45209810569221d509880e9798b1c48d6269a40d0257d49f20715c60ac9cb485ac040080aca1",
    3: "7a91001113cc0838f609b0b0220688e10502c3c01610024005609d104c0208b4085209a1a801412005801208401440860601b2c01485",
}
# The robots of the third problem whose label is wrong: its 5 % noise.
_MISLABELLED = {1: [], 2: [], 3: [4, 60, 202, 212, 213, 390]}


def training_numbers(problem: int) -> tuple[Array, Array]:
    """The numbers of the robots in a problem's training set, and the numbers of those whose label is wrong.

    >>> numbers, wrong = training_numbers(3)
    >>> len(numbers), wrong.tolist()
    (122, [4, 60, 202, 212, 213, 390])
    """
    bits = np.unpackbits(np.frombuffer(bytes.fromhex(_MEMBERS[problem]), np.uint8))
    return np.flatnonzero(bits), np.array(_MISLABELLED[problem], np.intp)
