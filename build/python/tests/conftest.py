"""What several tests use."""

import pytest

import baca
from baca._child import child

ASPIRIN = "CC(=O)Oc1ccccc1C(=O)O"
RDX = "C1N(CN(CN1[N+](=O)[O-])[N+](=O)[O-])[N+](=O)[O-]"


@pytest.fixture
def detector():
    return baca.Detector("drugs")


@pytest.fixture
def molecules():
    """Some hundred different molecules, a few of them far outside."""
    chains = ["C" * n + end for n in range(1, 40) for end in ("O", "N", "C(=O)O", "c1ccccc1")]
    return [ASPIRIN, RDX, "[Na+].[Cl-]", *chains]


@pytest.fixture
def running():
    """The id of the process that computes."""
    baca.models()
    return child._process.pid
