"""A character model: a GRU reads a number digit by digit and writes it in Roman numerals.

Runs unchanged on PyTorch (`python numerals.py`) and on flambeau (`flambeau run numerals.py`).
"""

# --- data
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)


def roman(n):
    out = ""
    for value, letters in zip(
        (100, 90, 50, 40, 10, 9, 5, 4, 1), ("C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"), strict=True
    ):
        out += letters * (n // value)
        n %= value
    return out


ALPHABET = "\n =0123456789IVXLC"
WIDTH = 20


def encoded(text):
    return torch.tensor([ALPHABET.index(c) for c in text])


lines = [f"{n:3d}={roman(n)}".ljust(WIDTH, "\n") for n in range(1, 400)]
order = torch.randperm(len(lines)).tolist()
train = torch.stack([encoded(lines[i]) for i in order[:340]])
unseen = [lines[i].rstrip("\n") for i in order[340:]]
print("one line:", repr(lines[388 - 1].rstrip("\n")))


# --- model
class Writer(nn.Module):
    def __init__(self, hidden=64):
        super().__init__()
        self.embedding = nn.Embedding(len(ALPHABET), 16)
        self.rnn = nn.GRU(16, hidden, batch_first=True)
        self.head = nn.Linear(hidden, len(ALPHABET))

    def forward(self, characters, state=None):
        out, state = self.rnn(self.embedding(characters), state)
        return self.head(out), state


# --- training
model = Writer()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.02, total_steps=320)
for step in range(320):
    batch = train[torch.randint(len(train), (32,))]
    scores, _ = model(batch[:, :-1])
    loss = F.cross_entropy(scores.flatten(0, 1), batch[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    schedule.step()
    if step % 80 == 79:
        print(f"step {step + 1}: loss {loss.item():.4f}")


# --- writing
@torch.no_grad()
def write(prompt):
    text, (scores, state) = prompt, model(encoded(prompt)[None])
    while len(text) < WIDTH:
        character = ALPHABET[scores[0, -1].argmax()]
        if character == "\n":
            break
        text += character
        scores, state = model(encoded(character)[None], state)
    return text


right = sum(write(line[:4]) == line for line in unseen)
print(f"{right} of {len(unseen)} numbers that it never saw")
for prompt in (" 42=", "249=", "388="):
    print(write(prompt))


# --- sampling
@torch.no_grad()
def invent(temperature):
    text, state = " ", None
    while text[-1] != "\n" and len(text) < WIDTH:
        scores, state = model(encoded(text[-1])[None], state)
        text += ALPHABET[torch.multinomial(F.softmax(scores[0, -1] / temperature, 0), 1).item()]
    return text


print("of its own:", [invent(1.0).strip() for _ in range(3)])
