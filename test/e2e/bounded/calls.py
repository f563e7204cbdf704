"""What a compiled program with bounded sizes says of calls that it does not take, and that one call leaves nothing to another.

    calls.py FOLDER
"""

import pathlib
import sys
import threading

import numpy as np

import heddle

BOUND = 8
PROGRAM = f"""
func.func @main(%x: tensor<?x?xf32, #stablehlo.bounds<{BOUND}, 5>> loc("left"), %y: tensor<5x?xf32, #stablehlo.bounds<?, {BOUND}>> loc("right"))
    -> (tensor<?x?xf32, #stablehlo.bounds<{BOUND}, 5>>, tensor<?xf32, #stablehlo.bounds<5>>) {{
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %t = stablehlo.transpose %y, dims = [1, 0] : (tensor<5x?xf32, #stablehlo.bounds<?, {BOUND}>>) -> tensor<?x5xf32, #stablehlo.bounds<{BOUND}, ?>>
  %m = stablehlo.reduce(%t init: %zero) applies stablehlo.add across dimensions = [1] :
    (tensor<?x5xf32, #stablehlo.bounds<{BOUND}, ?>>, tensor<f32>) -> tensor<?xf32, #stablehlo.bounds<{BOUND}>>
  %rows = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32, #stablehlo.bounds<{BOUND}, 5>>) -> tensor<i32>
  %columns = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32, #stablehlo.bounds<{BOUND}, 5>>) -> tensor<i32>
  %r = stablehlo.reshape %rows : (tensor<i32>) -> tensor<1xi32>
  %c = stablehlo.reshape %columns : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %r, %c, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %b = stablehlo.dynamic_broadcast_in_dim %m, %shape, dims = [0] : (tensor<?xf32, #stablehlo.bounds<{BOUND}>>, tensor<2xi32>)
    -> tensor<?x?xf32, #stablehlo.bounds<{BOUND}, 5>>
  %sum = stablehlo.add %x, %b : tensor<?x?xf32, #stablehlo.bounds<{BOUND}, 5>>
  %all = stablehlo.reduce(%sum init: %zero) applies stablehlo.add across dimensions = [0] :
    (tensor<?x?xf32, #stablehlo.bounds<{BOUND}, 5>>, tensor<f32>) -> tensor<?xf32, #stablehlo.bounds<5>>
  return %sum, %all : tensor<?x?xf32, #stablehlo.bounds<{BOUND}, 5>>, tensor<?xf32, #stablehlo.bounds<5>>
}}
"""


def arrays(rows, columns, seed=0):
    numbers = np.random.default_rng(seed)
    return (numbers.integers(-9, 9, (rows, columns)).astype(np.float32), numbers.integers(-9, 9, (5, rows)).astype(np.float32))


def is_right(model, rows, columns, seed=0):
    left, right = arrays(rows, columns, seed)
    results = list(model(left, right).values())
    total = left + right.sum(0)[:, None]
    return [r.shape for r in results] == [(rows, columns), (columns,)] and np.array_equal(results[0], total) and np.array_equal(results[1], total.sum(0))


def refused(model, words, left, right, **options):
    try:
        model(left, right, **options)
    except heddle.HeddleError as error:
        if all(word in str(error) for word in words):
            return 0
        print(f"said: {error}; wanted: {words}")
        return 1
    print(f"taken: {left.shape}, {right.shape}, {options}; wanted: {words}")
    return 1


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "calls.mlir"
    path.write_text(PROGRAM)
    artifact = heddle.compile(path, folder / "calls.heddle")
    model = heddle.load(artifact)
    wrong = 0
    # Up and down, to nothing and to the bound.
    for rows, columns in [(3, 2), (8, 5), (1, 1), (0, 0), (8, 5), (0, 5), (8, 0), (2, 4), (7, 5), (8, 1)]:
        if not is_right(model, rows, columns):
            print(f"differs at {rows} x {columns}")
            wrong += 1
    make = lambda *shape: np.ones(shape, np.float32)
    wrong += refused(model, ["'left'", "from 0 to 8"], make(9, 2), make(5, 9))
    wrong += refused(model, ["'left'", "from 0 to 5"], make(3, 6), make(5, 3))
    wrong += refused(model, ["'left'", "from 0 to 8"], make(1 << 20, 5), make(5, 1 << 20))
    wrong += refused(model, ["'right'", "[5, 4]", "[5, 3]"], make(3, 2), make(5, 4))
    wrong += refused(model, ["'right'"], make(3, 2), make(4, 3))
    wrong += refused(model, ["'right'", "[5, 0]"], make(3, 2), make(5, 0))
    wrong += refused(model, ["'left'", "dimension"], make(3, 2, 1), make(5, 3))
    wrong += refused(model, ["'out0'", "[2, 2]"], make(3, 2), make(5, 3), out={"out0": make(2, 2)})
    wrong += refused(model, ["'out0'"], make(3, 2), make(5, 3), out={"out0": make(8, 5)})
    wrong += refused(model, ["'out1'"], make(3, 2), make(5, 3), out={"out1": make(3)})
    if not is_right(model, 3, 2):
        print("differs after calls that were refused")
        wrong += 1
    # Two contexts, each with other sizes in each call.
    failures = []

    def work(first):
        mine = heddle.load(artifact, threads=1)
        for i in range(100):
            rows, columns = (first + 5 * i) % (BOUND + 1), (first + i) % 6
            if not is_right(mine, rows, columns, i):
                failures.append((rows, columns))

    threads = [threading.Thread(target=work, args=(first,)) for first in (0, 4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for sizes in failures:
        print(f"differs in a thread at {sizes}")
    print(f"{wrong + len(failures)} wrong")
    return 1 if wrong or failures else 0


if __name__ == "__main__":
    sys.exit(main())
