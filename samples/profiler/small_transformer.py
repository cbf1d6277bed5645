"""A small decoder-only transformer as a sequence of layers: what profile_torch.py --module takes."""

import torch
from torch import nn


class Embedding(nn.Module):
    def __init__(self, vocabulary, length, width):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.positions = nn.Parameter(torch.zeros(length, width))

    def forward(self, tokens):
        return self.tokens(tokens) + self.positions[: tokens.shape[1]]


class Block(nn.Module):
    """Pre-norm attention under a causal mask, then a feed-forward network of four times the width."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.before_attention = nn.LayerNorm(width)
        self.projection = nn.Linear(width, 3 * width)
        self.output = nn.Linear(width, width)
        self.feed_forward = nn.Sequential(
            nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def attend(self, x):
        batch, length, width = x.shape
        split = self.projection(x).view(batch, length, 3, self.heads, width // self.heads)
        query, key, value = split.permute(2, 0, 3, 1, 4)
        scores = query @ key.transpose(-2, -1) / (width // self.heads) ** 0.5
        hidden = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1)
        weights = scores.masked_fill(hidden, float("-inf")).softmax(-1)
        return self.output((weights @ value).transpose(1, 2).reshape(batch, length, width))

    def forward(self, x):
        x = x + self.attend(self.before_attention(x))
        return x + self.feed_forward(x)


def small_transformer(vocabulary=8192, length=128, width=256, heads=8, blocks=8):
    return nn.Sequential(
        Embedding(vocabulary, length, width),
        *(Block(width, heads) for _ in range(blocks)),
        nn.Sequential(nn.LayerNorm(width), nn.Linear(width, vocabulary)))
