"""Decoder-only transformers of known sizes as sequences of layers: what profile_torch.py --module takes.

    python3 profile_torch.py --module language_models.py:llama_3_8b --input tokens:4096:128256 \
        --device cuda --dtype bfloat16 --batch 1,2 --out llama-3-8b.profile.json

Attention is PyTorch's scaled_dot_product_attention (2.0 or later), causal. The head has no loss.
"""

import torch
from torch import nn
from torch.nn import functional


class RootMeanSquareNorm(nn.Module):
    def __init__(self, width, epsilon=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.epsilon = epsilon

    def forward(self, x):
        if hasattr(functional, "rms_norm"):
            return functional.rms_norm(x, self.weight.shape, self.weight, self.epsilon)
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.epsilon) * self.weight


def rotated(x):
    """x, batch x heads x tokens x width, with the rotary positions of Su et al. (RoFormer)."""
    length, width = x.shape[-2:]
    exponents = torch.arange(0, width, 2, device=x.device, dtype=torch.float32) / width
    angles = torch.outer(torch.arange(length, device=x.device, dtype=torch.float32), 500000.0 ** -exponents)
    cosine, sine = (torch.cat([f(angles)] * 2, -1).to(x.dtype) for f in (torch.cos, torch.sin))
    first, second = x.chunk(2, -1)
    return x * cosine + torch.cat([-second, first], -1) * sine


class LlamaBlock(nn.Module):
    """Grouped-query attention and a gated feed-forward network, without biases (Touvron et al., LLaMA)."""

    def __init__(self, width, heads, key_value_heads, feed_forward):
        super().__init__()
        self.heads, self.key_value_heads, self.head_width = heads, key_value_heads, width // heads
        self.before_attention, self.before_feed_forward = RootMeanSquareNorm(width), RootMeanSquareNorm(width)
        self.projection = nn.Linear(width, (heads + 2 * key_value_heads) * self.head_width, bias=False)
        self.output = nn.Linear(width, width, bias=False)
        self.gate_and_up = nn.Linear(width, 2 * feed_forward, bias=False)
        self.down = nn.Linear(feed_forward, width, bias=False)

    def attend(self, x):
        batch, length, width = x.shape
        sizes = [self.heads, self.key_value_heads, self.key_value_heads]
        query, key, value = (
            part.view(batch, length, count, self.head_width).transpose(1, 2)
            for part, count in zip(self.projection(x).split([n * self.head_width for n in sizes], -1), sizes))
        shared = self.heads // self.key_value_heads
        key, value = key.repeat_interleave(shared, 1), value.repeat_interleave(shared, 1)
        attended = functional.scaled_dot_product_attention(rotated(query), rotated(key), value, is_causal=True)
        return self.output(attended.transpose(1, 2).reshape(batch, length, width))

    def forward(self, x):
        x = x + self.attend(self.before_attention(x))
        gate, up = self.gate_and_up(self.before_feed_forward(x)).chunk(2, -1)
        return x + self.down(functional.silu(gate) * up)


def llama(vocabulary, width, heads, key_value_heads, feed_forward, blocks):
    return nn.Sequential(
        nn.Embedding(vocabulary, width),
        *(LlamaBlock(width, heads, key_value_heads, feed_forward) for _ in range(blocks)),
        nn.Sequential(RootMeanSquareNorm(width), nn.Linear(width, vocabulary, bias=False)))


def llama_3_2_1b():
    return llama(128256, 2048, 32, 8, 8192, 16)


def llama_3_8b():
    return llama(128256, 4096, 32, 8, 14336, 32)


class GptBlock(nn.Module):
    """Attention and a feed-forward network of four times the width, with biases (Radford et al., GPT-2)."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.before_attention, self.before_feed_forward = nn.LayerNorm(width), nn.LayerNorm(width)
        self.projection, self.output = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def attend(self, x):
        batch, length, width = x.shape
        query, key, value = (part.view(batch, length, self.heads, width // self.heads).transpose(1, 2)
                             for part in self.projection(x).chunk(3, -1))
        attended = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.output(attended.transpose(1, 2).reshape(batch, length, width))

    def forward(self, x):
        x = x + self.attend(self.before_attention(x))
        return x + self.down(functional.gelu(self.up(self.before_feed_forward(x)), approximate="tanh"))


class TokensAndPositions(nn.Module):
    def __init__(self, vocabulary, length, width):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(vocabulary, width), nn.Embedding(length, width)

    def forward(self, tokens):
        return self.tokens(tokens) + self.positions.weight[: tokens.shape[1]]


def gpt_2_medium():
    return nn.Sequential(
        TokensAndPositions(50257, 1024, 1024), *(GptBlock(1024, 16) for _ in range(24)),
        nn.Sequential(nn.LayerNorm(1024), nn.Linear(1024, 50257, bias=False)))
