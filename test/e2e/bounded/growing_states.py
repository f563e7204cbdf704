"""Steps of a decoder whose caches are states, beside those of one that is handed them.

    growing_states.py PLAIN STATES [entries]
"""

import sys

import numpy as np

import heddle

CAPACITY, LAYERS = 71, 2
NAMES = [f"past_{what}{layer}" for layer in range(LAYERS) for what in "kv"]


def is_near(found, wanted):
    return np.allclose(found, wanted, rtol=1e-5, atol=1e-5)


def steps(plain, model, states, caches, count, random):
    """How many of `count` steps differ; `caches` become what they leave."""
    wrong = 0
    for _ in range(count):
        ids = random.integers(50, size=(2, 1))
        found = model(ids=ids, states=states)
        wanted = plain(ids=ids, **caches)
        caches.update({name: wanted[name.replace("past", "present")] for name in NAMES})
        logits = next(name for name in wanted if not name.startswith("present"))
        wrong += not is_near(found[logits], wanted[logits])
    wrong += not all(is_near(states[name], caches[name]) for name in NAMES)
    return wrong


def grow(plain, model):
    random = np.random.default_rng(0)
    empty = {name: np.zeros((2, 3, 0, 16), np.float32) for name in NAMES}
    states, caches = {name: model.state(name) for name in NAMES}, dict(empty)
    wrong = steps(plain, model, states, caches, CAPACITY, random)
    print(f"{CAPACITY} steps, {wrong} wrong, lengths", *{state.length for state in states.values()})

    def refused(why):
        try:
            model(ids=np.zeros((2, 1), np.int64), states=states)
            print("ran")
        except heddle.HeddleError as error:
            print(f"{why}: {error}")

    refused("refused")
    for name in NAMES:
        states[name].length = 3 if name == "past_k0" else 60
    refused("lengths apart")
    for name in NAMES:
        states[name].length = CAPACITY
    kept = all(is_near(states[name], caches[name]) for name in NAMES)
    # A shorter past, given as an array.
    for name in NAMES:
        caches[name] = caches[name][:, :, :3]
        states[name].write(caches[name])
    shape = states["past_v1"].read().shape
    print(f"kept {kept}, read back {shape}, again", steps(plain, model, states, caches, 5, random), "wrong")


def share(plain, path):
    first, more, decode = (heddle.load(path, entry=entry) for entry in ("first", "more", "decode"))
    del more, decode
    more, decode = first.entry("more"), first.entry("decode")
    states = {name: first.state(name) for name in NAMES}
    random = np.random.default_rng(1)
    prompt, rest, token = (random.integers(50, size=(2, count)) for count in (4, 4, 1))
    lengths = []
    for entry, ids in ((first, prompt), (more, rest), (decode, token)):
        found = entry(ids=ids, states=states)
        lengths.append(states["past_v1"].length)
    # The step alone reads caches that the entries before it filled.
    caches = {name: states[name].read()[:, :, :8] for name in NAMES}
    wanted = plain(ids=token, **caches)
    equal = all(is_near(found[name], wanted[name]) for name in found)
    print(f"lengths {', '.join(map(str, lengths))}; equal {equal}")
    first(ids=prompt, states=states)
    print("again from the beginning: length", states["past_k0"].length)


def main():
    plain = heddle.load(sys.argv[1])
    if sys.argv[3:] == ["entries"]:
        share(plain, sys.argv[2])
    else:
        grow(plain, heddle.load(sys.argv[2]))


if __name__ == "__main__":
    main()
