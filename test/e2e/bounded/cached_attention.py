"""Steps of cached_attention.mlir until its caches are full, against numpy over all that was appended; a step more is refused and changes nothing.

    cached_attention.py ARTIFACT
"""

import sys

import numpy as np

import heddle

CAPACITY, SHAPE = 71, (2, 3, 1, 16)


def main():
    model = heddle.load(sys.argv[1])
    states = {name: model.state(name) for name in "kv"}
    random = np.random.default_rng(0)
    keys, values = np.zeros((2, 2, 3, 0, 16), np.float32)
    wrong = 0
    for past in range(CAPACITY):
        query, key, value = random.standard_normal((3, *SHAPE)).astype(np.float32)
        keys, values = np.concatenate([keys, key], 2), np.concatenate([values, value], 2)
        found = model(query, key, value, states=states, sizes={"past": past})["y"]
        scores = query @ keys.transpose(0, 1, 3, 2)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        wanted = weights / weights.sum(-1, keepdims=True) @ values
        wrong += not np.allclose(found, wanted, rtol=1e-5, atol=1e-5)
    try:
        model(query, key + 1, value + 1, states=states, sizes={"past": CAPACITY})
        print("a step beyond the capacity ran")
    except heddle.HeddleError as error:
        print(f"refused: {error}")
    held = [np.from_dlpack(states[name]) for name in "kv"]
    kept = all(np.array_equal(a, b) for a, b in zip(held, (keys, values)))
    print(f"{wrong} wrong, {'kept' if kept else 'changed'}")


if __name__ == "__main__":
    main()
