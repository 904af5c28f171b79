"""Training and test sets."""

import datetime

import numpy as np
import pytest

import baca

LIBRARY = [ring + "C" * n for ring in ("c1ccccc1", "c1ccncc1", "C1CCOC1", "c1ccsc1", "C1CNC1") for n in range(1, 9)]


@pytest.mark.parametrize("by", ["scaffold", "cluster", "random"])
def test_split_draws(by):
    train, test = baca.split(LIBRARY, by, test=0.3, seed=3)
    again, _ = baca.split(np.array(LIBRARY), by, test=0.3, seed=3)
    assert sorted([*train, *test]) == list(range(40)) and 0 < len(test) <= 12 and list(train) == list(again)
    if by == "scaffold":
        assert not {LIBRARY[i][:7] for i in train} & {LIBRARY[i][:7] for i in test} and len(test) == 8


def test_split_by_values():
    days = [datetime.date(2020, 1, 1) + datetime.timedelta(k * 37 % 40) for k in range(40)]
    assert {days[i] for i in baca.split(LIBRARY, "time", values=days)[1]} == set(sorted(days)[-8:])
    with pytest.warns(baca.RefusedWarning, match='2 of 40 .* in neither set: row 1: .*want a number'):
        train, test = baca.split([*LIBRARY[:39], "C("], "property", values=[np.nan, *range(39)], test=0.1)
    assert list(test) == [36, 37, 38] and list(train) == list(range(1, 36))


def test_split_refuses():
    for arguments, words in (({"by": "year"}, "want one of scaffold"), ({"by": "time"}, "needs values"), ({"values": [1]}, "takes no values"), ({"test": 1.5}, "between 0 and 1"),
                             ({"by": "time", "values": [1]}, "1 values for 40"), ({"test": 0.01}, "no molecule is left")):
        with pytest.raises(ValueError, match=words):
            baca.split(LIBRARY, **arguments)
