"""Tiny randomly initialised models with tokenizers, for tests that train or decode.

One is a Qwen2 and has everything the real base has (byte-level BPE, ChatML template, grouped-query
attention, tied embedding); the other has what CodeLlama's completion models have (SentencePiece's
way with spaces and bytes, no template, an output head of its own). They are made in a second
without network. What they write is nonsense, deterministically.
"""

import json
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import (
    CodeLlamaTokenizer,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
    Qwen2Config,
    Qwen2ForCausalLM,
)

TEMPLATE = (
    "{% for message in messages %}"
    "<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n"
    "{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
TEXT = [
    "Fix the buggy Python function. The function has a bug that needs to be corrected.",
    "Provide the corrected Python code:\n```python\n",
    "def function(values, n):\n    result = []\n    for value in values:\n        if value < n:\n",
    "            result.append(value + 1)\n        else:\n            return None\n",
    "    return result\n",
    "while left != right:\n    middle = (left + right) // 2\n    total += len(values) - 1\n",
]


SHAPE: Any = {
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "initializer_range": 0.1,
}
"""Sizes that tiny models of all kinds have, as their configurations name them."""


def make_tiny_base(folder: Path, seed: int = 0) -> Path:
    """Write a Hugging Face folder with a 2-layer model of about 0.1 M parameters; return it."""
    tokenizer = make_tiny_tokenizer()
    config = Qwen2Config(
        **SHAPE,
        vocab_size=len(tokenizer),
        num_key_value_heads=2,
        max_position_embeddings=4096,
        tie_word_embeddings=True,
        bos_token_id=tokenizer.get_vocab()["<|endoftext|>"],
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    return _write(Qwen2ForCausalLM, config, tokenizer, folder, seed)


def make_tiny_completion_base(folder: Path, seed: int = 0) -> Path:
    """Write a folder like that of `make_tiny_base` with a completion model; return it."""
    tokenizer = make_tiny_completion_tokenizer()
    config = LlamaConfig(
        **SHAPE,
        vocab_size=len(tokenizer),
        max_position_embeddings=4096,
        tie_word_embeddings=False,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    return _write(LlamaForCausalLM, config, tokenizer, folder, seed)


def _write(kind: Any, config: Any, tokenizer: Any, folder: Path, seed: int) -> Path:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        kind(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def make_tiny_completion_tokenizer() -> CodeLlamaTokenizer:
    """Train a BPE tokenizer of some 500 tokens that falls back to bytes, as CodeLlama's does."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    special = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    alphabet = [chr(code) for code in range(ord("!"), ord("~") + 1)]
    _train(tokenizer, [word for text in TEXT for word in text.split()], special, alphabet)
    trained = json.loads(tokenizer.to_str())["model"]
    # Pairs are what BPE reads, while the tokenizer's annotation speaks of lines of text.
    merges: Any = [(left, right) for left, right in trained["merges"]]
    return CodeLlamaTokenizer(vocab=trained["vocab"], merges=merges)


def make_tiny_tokenizer() -> PreTrainedTokenizerFast:
    """Train a byte-level BPE tokenizer of 512 tokens with ChatML's special tokens."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    _train(tokenizer, TEXT, special, pre_tokenizers.ByteLevel.alphabet())
    wrapped = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="<|im_end|>", pad_token="<|endoftext|>"
    )
    wrapped.chat_template = TEMPLATE
    return wrapped


def _train(
    tokenizer: Tokenizer, texts: list[str], special_tokens: list[str], alphabet: list[str]
) -> None:
    options: Any = {"special_tokens": special_tokens, "initial_alphabet": alphabet}
    trainer = trainers.BpeTrainer(vocab_size=512, show_progress=False, **options)
    tokenizer.train_from_iterator(texts, trainer)
