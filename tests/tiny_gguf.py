"""The tiny models of `tests.tiny` as GGUF files, such as the catalogue's checkpoints are.

As in those, embedding and output head are two matrices, the first one coarser.
"""

import json
from collections.abc import Mapping
from pathlib import Path

import gguf
import numpy as np
from gguf.quants import quantize
from safetensors.numpy import load_file

from tests.tiny import make_tiny_base

_NAMES = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
}


def make_tiny_gguf(file: Path, scratch: Path) -> Path:
    """Write the chat model to `file`, by way of an empty folder; return the file."""
    folder = make_tiny_base(scratch)
    kinds = gguf.GGMLQuantizationType
    return write_tiny_gguf(folder, file, {"token_embd": kinds.Q5_0, "output": kinds.Q8_0})


def write_tiny_gguf(
    folder: Path, file: Path, kinds: Mapping[str, gguf.GGMLQuantizationType]
) -> Path:
    """Write a tiny model's folder as a GGUF file; return the file.

    Args:
        folder: a Qwen2 or a Llama with the chat model's tokenizer.
        file: to write.
        kinds: how matrices are stored, by GGUF's name; the others are float32.
    """
    config = json.loads((folder / "config.json").read_text())
    writer = gguf.GGUFWriter(file, config["model_type"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_head_count_kv(config["num_key_value_heads"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_freq_base(10000.0)
    _add_tokenizer(writer, folder, config)
    weights = load_file(folder / "model.safetensors")
    embedding = weights.pop("model.embed_tokens.weight")
    weights = {
        "token_embd.weight": embedding,
        "output.weight": weights.pop("lm_head.weight", embedding),
    } | {_name(name): array for name, array in weights.items()}
    if config["model_type"] == "llama":
        weights = {name: in_llamas_order(name, array, config) for name, array in weights.items()}
    for name, array in weights.items():
        kind = kinds.get(name.removesuffix(".weight"), gguf.GGMLQuantizationType.F32)
        writer.add_tensor(name, quantize(array.astype(np.float32), kind), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return file


def in_llamas_order(name: str, array: np.ndarray, config: Mapping[str, int]) -> np.ndarray:
    """Return the rows of a Llama's query or key in llama.cpp's order; other tensors as they are.

    Of the rows of a head, transformers turns i and i + half together, and llama.cpp 2i and 2i + 1.
    """
    heads = {"attn_q": "num_attention_heads", "attn_k": "num_key_value_heads"}
    key = next((heads[part] for part in name.split(".") if part in heads), None)
    if key is None:
        return array
    size = len(array) // config[key]
    order = [
        head * size + half * size // 2 + row
        for head in range(config[key])
        for row in range(size // 2)
        for half in (0, 1)
    ]
    return array[order]


def _add_tokenizer(writer: gguf.GGUFWriter, folder: Path, config: dict[str, int]) -> None:
    model = json.loads((folder / "tokenizer.json").read_text())["model"]
    tokens = sorted(model["vocab"], key=model["vocab"].__getitem__)
    control, normal = gguf.TokenType.CONTROL, gguf.TokenType.NORMAL
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list(tokens)
    writer.add_token_types([control if token.startswith("<|") else normal for token in tokens])
    writer.add_token_merges([" ".join(pair) for pair in model["merges"]])
    writer.add_eos_token_id(config["eos_token_id"])
    writer.add_pad_token_id(config["pad_token_id"])
    writer.add_chat_template((folder / "chat_template.jinja").read_text())


def _name(name: str) -> str:
    if name == "model.norm.weight":
        return "output_norm.weight"
    _, _, layer, rest = name.split(".", 3)
    module, _, kind = rest.rpartition(".")
    return f"blk.{layer}.{_NAMES[module]}.{kind}"
