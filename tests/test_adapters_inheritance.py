"""What a child begins with: its parents' mixture, in its own configuration."""

from __future__ import annotations

import copy
import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import torch
from peft import LoraConfig, PeftModel, get_peft_model
from peft.utils import get_peft_model_state_dict
from safetensors.torch import save_file
from transformers import Qwen2Config, Qwen2ForCausalLM

from coral_batch.models.training.inheritance import Parent, inherit
from coral_batch.models.training.layers import exact_magnitudes

ATTENTION, OTHERS = ("q_proj", "v_proj"), ("down_proj", "q_proj", "up_proj")
Weights = dict[str, torch.Tensor]


@pytest.fixture(scope="module")
def base() -> Qwen2ForCausalLM:
    torch.manual_seed(0)
    shape = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2}
    config = Qwen2Config(**shape, vocab_size=50, num_attention_heads=4, num_key_value_heads=2)
    return Qwen2ForCausalLM(config).requires_grad_(False)


def fresh(
    base: Qwen2ForCausalLM, r: int, modules: tuple[str, ...], dora: bool, alpha: int = 12
) -> PeftModel:
    torch.manual_seed(r)
    config = LoraConfig(
        task_type="CAUSAL_LM", r=r, lora_alpha=alpha, target_modules=list(modules), use_dora=dora
    )
    model = get_peft_model(copy.deepcopy(base), config)
    exact_magnitudes(model)
    return model


@torch.no_grad()
def trained(base: Qwen2ForCausalLM, *configured: Any) -> PeftModel:
    """Return an adapter as training may leave it."""
    model = fresh(base, *configured)
    for name, values in model.named_parameters():
        if "lora_B" in name:
            values.copy_(torch.randn_like(values) / 20)
        elif "magnitude" in name:
            values.mul_(1 + torch.randn_like(values) / 10)
    return model


def saved(model: PeftModel, folder: Path) -> Parent:
    folder.mkdir()
    save_file(get_peft_model_state_dict(model), folder / "adapter_model.safetensors")
    config = model.peft_config["default"]
    written = {"r": config.r, "lora_alpha": config.lora_alpha}
    (folder / "adapter_config.json").write_text(json.dumps(written))
    return Parent(folder.name, folder)


def merged(model: PeftModel) -> Weights:
    whole = copy.deepcopy(model).merge_and_unload()
    return {name: values.detach() for name, values in whole.named_parameters()}


def apart(one: Weights, two: Weights) -> float:
    return max((one[name] - two[name]).abs().max().item() for name in one)


@pytest.mark.parametrize(("first", "second", "child"), list(product((False, True), repeat=3)))
def test_a_child_begins_with_the_mixture_of_its_parents(
    base: Qwen2ForCausalLM, tmp_path: Path, first: bool, second: bool, child: bool
) -> None:
    parents = trained(base, 3, ATTENTION, first), trained(base, 5, OTHERS, second, 20)
    # LoRA has no magnitudes: what DoRA scales it comes as near as its rank lets it.
    near = (first or second) and not child
    begun = fresh(base, 16 if near else 8, tuple({*ATTENTION, *OTHERS}), child)
    inherit(begun, [saved(parents[0], tmp_path / "a"), saved(parents[1], tmp_path / "b")])
    one, two = map(merged, parents)
    wanted = {name: (one[name] + two[name]) / 2 for name in one}
    changed = apart(merged(fresh(base, 1, ATTENTION, False)), wanted)
    assert apart(merged(begun), wanted) < (changed / 3 if near else 1e-6)


@pytest.mark.parametrize("child", [False, True])
def test_a_row_of_zeros_is_inherited_from_dora(
    base: Qwen2ForCausalLM, tmp_path: Path, child: bool
) -> None:
    empty, layer = copy.deepcopy(base), "model.layers.0.self_attn.q_proj"
    empty.get_submodule(layer).weight[0] = 0
    parent = trained(empty, 3, ATTENTION, True)
    own = parent.base_model.model.get_submodule(layer)
    with torch.no_grad():
        own.lora_B["default"].weight[0] = 0
        own.lora_magnitude_vector["default"].weight[0] = 0
    begun = fresh(empty, 32, ATTENTION, child)
    inherit(begun, [saved(parent, tmp_path / "a")])
    # PEFT divides by the norm of the row when it merges.
    found, wanted = (model.base_model.model.get_submodule(layer) for model in (begun, parent))
    for part in (found.lora_A, found.lora_B):
        assert torch.isfinite(part["default"].weight).all()
    x = torch.randn(2, 32)
    assert torch.allclose(found(x)[:, 1:], wanted(x)[:, 1:], atol=1e-5)


def test_of_a_smaller_rank_no_other_is_nearer(base: Qwen2ForCausalLM, tmp_path: Path) -> None:
    parent, begun = trained(base, 6, ATTENTION, False), fresh(base, 2, ATTENTION, False)
    inherit(begun, [saved(parent, tmp_path / "a")])
    frozen, whole, near = merged(fresh(base, 1, ATTENTION, False)), merged(parent), merged(begun)
    for name in whole:
        update = whole[name] - frozen[name]
        if update.any():
            lost = torch.linalg.matrix_norm(whole[name] - near[name])
            singular = torch.linalg.svdvals(update)
            assert lost.item() == pytest.approx(singular[2:].norm().item(), rel=1e-3)


def test_a_larger_rank_leaves_room_to_learn(base: Qwen2ForCausalLM, tmp_path: Path) -> None:
    """Where A and B are both zero, no gradient ever comes."""
    begun = fresh(base, 8, ATTENTION, False)
    inherit(begun, [saved(trained(base, 3, ATTENTION, False), tmp_path / "a")])
    rows = [values for name, values in begun.named_parameters() if "lora_A" in name]
    assert len(rows) == 4
    assert all((values.norm(dim=1) > 0.01).all() for values in rows)


def test_a_rank_beyond_the_size_of_a_layer_inherits_all(
    base: Qwen2ForCausalLM, tmp_path: Path
) -> None:
    # v_proj of the base has 16 rows.
    parents = trained(base, 20, ATTENTION, False), trained(base, 20, ATTENTION, False, 20)
    begun = fresh(base, 24, ATTENTION, False)
    inherit(begun, [saved(one, tmp_path / str(name)) for name, one in enumerate(parents)])
    one, two, found = map(merged, (*parents, begun))
    assert apart(found, {name: (one[name] + two[name]) / 2 for name in one}) < 1e-6


def test_modules_that_a_child_has_not_are_dropped_and_new_ones_begin_at_nothing(
    base: Qwen2ForCausalLM, tmp_path: Path
) -> None:
    parent = trained(base, 4, ATTENTION, False)
    begun = fresh(base, 4, ("v_proj", "up_proj"), False)
    inherit(begun, [saved(parent, tmp_path / "a")])
    frozen, whole, found = merged(fresh(base, 1, ATTENTION, False)), merged(parent), merged(begun)
    for name in whole:
        expected = whole if "v_proj" in name else frozen
        assert torch.allclose(found[name], expected[name], atol=1e-6), name
