"""A control: one textbook configuration, `TEXTBOOK`, trained with a seed per genome.

So it is the best of as many adapters as the other searches.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from coral_batch.errors import CoralError
from coral_batch.records.settings import Candidates, Search
from coral_batch.search.kinds import random
from coral_batch.search.plan import Plan, plans
from coral_batch.seeding import derive_seed

AUTOMATA_DECIDE = False
breed = random.breed
TEXTBOOK = Candidates(
    r=(8,),
    lora_alpha=(16,),
    lora_dropout=(0.05,),
    target_modules=(("q_proj", "v_proj"),),
    method=("lora",),
    temperature=(0.6,),
    top_p=(0.95,),
    top_k=(50,),
    repetition_penalty=(1.0,),
)
"""LoRA as its paper sets it up (Hu et al. 2021, appendix D), and usual settings of sampling."""


def plan(
    genomes: Sequence[str],
    coordinates: NDArray[np.float64],
    _: Search,
    candidates: Candidates,
    seed: int,
) -> list[Plan]:
    """Ask for the one configuration, whatever the features are.

    Raises:
        CoralError: its rank is greater than any candidate, and decoding makes room for those.
    """
    if max(candidates.r) < TEXTBOOK.r[0]:
        raise CoralError(
            "the rank of the fixed search is greater than any candidate",
            file="params.yaml",
            field="candidates.r",
            found=max(candidates.r),
            expected=f"one of at least {TEXTBOOK.r[0]}",
        )
    seeds = [derive_seed(seed, "fixed search", genome) for genome in genomes]
    return plans(genomes, coordinates, TEXTBOOK, seeds)
