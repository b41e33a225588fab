"""Prints scalars with what PyYAML's safe loader makes of them: [[text, type, str(value)], ...]. usage: pyyaml.py SEED COUNT"""
import json
import random
import sys

import yaml

SIGNS = "0123456789-+._:eExXbB~nNoOyYtTfFuUlLsSrRaAiI TZ=<"
WORDS = """yes no on off true false null ~ 0 00 08 012 0x1F 0b11 1_0 1e3 1.5 1.5e+3 .5 .inf -.INF .nan 12:30 12:30:45 1:2.5
2024-01-02 2024-1-2 2024-01-02T03:04:05Z 2024-13-01 -0 +0 +5 -5 9.0 1. -1. 0.0 -0.0 1_000 1__0 0_7 0x_ 0b_ 1.0e+20 1.0e-7
123456789012345678901234567890 123456789.123456789 0.0001 0.00001 1.0e+16 1.0e+15 0001-01-01 01234567 00012345 1234_5678""".split()


def reading(text):
    """None for a text that is not one plain scalar to begin with."""
    try:
        value = yaml.safe_load("k: " + text + "\n")["k"]
    except yaml.constructor.ConstructorError:
        return ["error", ""]
    except yaml.YAMLError:
        return None
    except (ValueError, OverflowError):
        return ["error", ""]
    if isinstance(value, (dict, list)) or (isinstance(value, str) and value != text):
        return None
    return [type(value).__name__, str(value)]


def scalar(rand):
    kind = rand.random()
    if kind < 0.3:
        return rand.choice(WORDS)
    if kind < 0.6:
        text = list(rand.choice(WORDS))
        for _ in range(rand.randint(1, 2)):
            at = rand.randrange(len(text) + 1)
            if rand.random() < 0.5 or at == len(text):
                text.insert(at, rand.choice(SIGNS))
            else:
                text[at] = rand.choice(SIGNS)
        return "".join(text).strip()
    signs = SIGNS[:18] if kind < 0.85 else SIGNS
    return "".join(rand.choice(signs) for _ in range(rand.randint(1, 12))).strip()


def main():
    rand = random.Random(int(sys.argv[1]))
    found = []
    while len(found) < int(sys.argv[2]):
        text = scalar(rand)
        value = reading(text)
        if value is not None:
            found.append([text, *value])
    json.dump(found, sys.stdout)


main()
