"""A call that takes more scratch than one of the largest sizes: a sort of as many elements as an even number is short of the size, in one context.

    scratch_by_sizes.py FOLDER
"""

import pathlib
import sys

import numpy as np

import heddle

PROGRAM = """
func.func @main(%x: tensor<?xf32, #stablehlo.bounds<4>>) -> tensor<?xf32, #stablehlo.bounds<64>> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32, #stablehlo.bounds<4>>) -> tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %most = stablehlo.constant dense<64> : tensor<i32>
  %odd = stablehlo.remainder %n, %two : tensor<i32>
  %length = stablehlo.multiply %odd, %most : tensor<i32>
  %shape = stablehlo.reshape %length : (tensor<i32>) -> tensor<1xi32>
  %y = stablehlo.dynamic_iota %shape, dim = 0 : (tensor<1xi32>) -> tensor<?xf32, #stablehlo.bounds<64>>
  %sorted = "stablehlo.sort"(%y) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%left: tensor<f32>, %right: tensor<f32>):
    %0 = stablehlo.compare GT, %left, %right : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %0 : tensor<i1>
  }) : (tensor<?xf32, #stablehlo.bounds<64>>) -> tensor<?xf32, #stablehlo.bounds<64>>
  return %sorted : tensor<?xf32, #stablehlo.bounds<64>>
}
"""

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
(folder / "sort.mlir").write_text(PROGRAM)
model = heddle.load(heddle.compile(folder / "sort.mlir", folder / "sort.heddle"))
wrong = 0
for size in (4, 3, 0, 1, 2):
    (result,) = model(np.zeros(size, np.float32)).values()
    wrong += not np.array_equal(result, np.arange(64 * (size % 2), dtype=np.float32)[::-1])
print(f"{wrong} wrong")
