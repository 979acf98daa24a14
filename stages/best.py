"""Stage `best`: the best genome of the run."""

from coral_batch import lake
from coral_batch.errors import CoralError
from coral_batch.lake import find
from coral_batch.lake.stage import Outputs, Tables, run
from coral_batch.records.rows import AdapterCardRow, AdapterRow, BestRow, SelectionRow
from coral_batch.records.settings import Params
from coral_batch.search.best import REFUSED, finalists
from coral_batch.search.ranking import rank

TABLES = ("finalists", "best")


def make(tables: Tables, settings: Params, _: None) -> Outputs:
    selections = {
        name: tables.read_rows("selection", SelectionRow, name) for name in settings.generations
    }
    competing = finalists(selections, settings.validation.finalists)
    selected = {
        part: tables.read_frame("scores", part) for part in {one.generation for one in competing}
    }
    ranked = rank(competing, selected, tables.read_frame("scores", lake.FINALS), settings)
    part = ranked[0].generation
    chosen = next(one.row for one in competing if one.row.genome == ranked[0].genome)
    adapters = tables.read_rows("adapters", AdapterRow, part)
    adapter = find(adapters, lake.path("adapters", part), genome=chosen.genome)
    cards = tables.read_rows("adapter_cards", AdapterCardRow, part)
    card = find(cards, lake.path("adapter_cards", part), key=adapter.key)
    seed = card.determinants.get("seed")
    if not isinstance(seed, int):
        raise CoralError(
            "the card of an adapter does not say how it was trained",
            file=lake.path("adapter_cards", part),
            field=f"determinants.seed of {adapter.key[:8]}",
            found=seed,
            expected="the seed of its training",
            action=f"run `dvc repro --force adapters@{part}`",
        )
    return {
        "finalists": ranked,
        "best": BestRow(
            part,
            chosen.genome,
            adapter.key,
            card.files,
            adapter.coordinates,
            adapter.configuration,
            adapter.knobs,
            seed,
            chosen.fitness,
            ranked[0].passed,
        ),
    }


def best() -> None:
    """Pick the best genome of all generations."""
    chosen = run(make)["best"]
    print(f"{chosen.genome} of generation {chosen.generation}, fitness {chosen.fitness:.3f}")
    if not chosen.passed:
        print(REFUSED)
