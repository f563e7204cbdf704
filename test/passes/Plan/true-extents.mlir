// RUN: heddle-opt %s --heddle-build-plan --split-input-file | FileCheck %s

// Tensors of true extents are as large as a call says: the caller's lie where he has them, and what a kernel may write over is one buffer.
!rows = tensor<8x4x16xf32, #size.extents<batch, rows, 16>>
!flat = tensor<32x16xf32, #size.extents<batch * rows, 16>>
module attributes {heddle.symbols = [{name = "batch", minimum = 1, maximum = 8}, {name = "rows", minimum = 1, maximum = 4}]} {
func.func private @k(!rows) -> !rows attributes {kernel.entry}
func.func private @over(!flat {kernel.in_place = 0}) -> !flat attributes {kernel.entry}
// CHECK-LABEL: plan.program @main
// CHECK-NEXT: %[[X:.*]] = plan.buffer input 0 size 2048 "x" {bytes = #size.expression<64 * batch * rows>}
// CHECK-NEXT: %[[A:.*]] = plan.buffer arena 0 size 2048 "" {bytes = #size.expression<64 * batch * rows>}
// CHECK-NEXT: %[[Y:.*]] = plan.buffer output 0 size 2048 "y" {bytes = #size.expression<64 * batch * rows>}
// CHECK-NEXT: plan.launch @k reads(%[[X]]) writes(%[[A]]) nodes []
// CHECK-NEXT: plan.launch @over reads(%[[A]]) writes(%[[A]]) nodes []
// CHECK-NEXT: plan.launch @k reads(%[[A]]) writes(%[[Y]]) nodes []
// CHECK-NEXT: }
func.func @main(%x: !rows {heddle.name = "x"}) -> (!rows {heddle.name = "y"}) {
  %0 = kernel.launch @k(%x) : (!rows) -> !rows
  %1 = tensor.collapse_shape %0 [[0, 1], [2]] : !rows into !flat
  %2 = kernel.launch @over(%1) : (!flat) -> !flat
  %3 = tensor.expand_shape %2 [[0, 1], [2]] output_shape [8, 4, 16] : !flat into !rows
  %4 = kernel.launch @k(%3) : (!rows) -> !rows
  return %4 : !rows
}
}

// -----

// What a call gives back is copied as far as it truly reaches. A buffer of the bound's size is none that a kernel may write over instead.
!row = tensor<16xf32, #size.extents<n>>
module attributes {heddle.symbols = [{name = "n", minimum = 1, maximum = 16}]} {
func.func private @k(!row {kernel.in_place = 0}) -> tensor<16xf32> attributes {kernel.entry}
// CHECK-LABEL: plan.program @main arena 0
// CHECK-DAG: %[[X:.*]] = plan.buffer input 0 size 64 "x" {bytes = #size.expression<4 * n>}
// CHECK-DAG: %[[Y:.*]] = plan.buffer output 0 size 64 "y" {bytes = #size.expression<4 * n>}
// CHECK-DAG: %[[Z:.*]] = plan.buffer output 1 size 64 "z"{{$}}
// CHECK: plan.launch @k reads(%[[X]]) writes(%[[Z]]) nodes []
// CHECK: plan.copy %[[X]] to %[[Y]]
func.func @main(%x: !row {heddle.name = "x"}) -> (!row {heddle.name = "y"}, tensor<16xf32> {heddle.name = "z"}) {
  %0 = kernel.launch @k(%x) : (!row) -> tensor<16xf32>
  return %x, %0 : !row, tensor<16xf32>
}
}
