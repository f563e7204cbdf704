// RUN: heddle-opt %s --heddle-build-plan --split-input-file | FileCheck %s

// Tensors of true extents are as large as a call says: the caller's lie where he has them, and what a kernel may write over is one buffer.
!rows = tensor<8x4x16xf32, #size.extents<batch, rows, 16>>
!flat = tensor<32x16xf32, #size.extents<batch * rows, 16>>
module attributes {heddle.symbols = [{name = "batch", minimum = 1, maximum = 8}, {name = "rows", minimum = 1, maximum = 4}]} {
func.func private @k(!rows) -> !rows attributes {kernel.entry}
func.func private @over(!flat {kernel.in_place = 0}) -> !flat attributes {kernel.entry}
// CHECK-LABEL: plan.program @main arena 2048 as <64 * batch * rows> {
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

// -----

// Places by the sizes of a call: the second is behind the first, however large that is; the third, which begins when the first ends, at its place.
!large = tensor<4x64x16xf32, #size.extents<batch, rows, 16>>
!small = tensor<4x3xf32, #size.extents<batch, 3>>
module attributes {heddle.symbols = [{name = "batch", minimum = 0, maximum = 4}, {name = "rows", minimum = 1, maximum = 64}]} {
func.func private @k(!large) -> !large attributes {kernel.entry}
func.func private @sum(!large) -> !small attributes {kernel.entry}
func.func private @all(!large, !small) -> !large attributes {kernel.entry}
// CHECK-LABEL: plan.program @main arena 32832 as <128 * batch * rows + 64 * floordiv(3 * batch + 15, 16)> {
// CHECK: %[[A:.*]] = plan.buffer arena 0 size 16384 "" {bytes = #size.expression<64 * batch * rows>}
// CHECK: %[[B:.*]] = plan.buffer arena 16384 size 16384 "" {bytes = #size.expression<64 * batch * rows>, offset = #size.expression<64 * batch * rows>}
// CHECK: %[[C:.*]] = plan.buffer arena 32768 size 48 "" {bytes = #size.expression<12 * batch>, offset = #size.expression<128 * batch * rows>}
// CHECK: %[[D:.*]] = plan.buffer arena 0 size 16384 "" {bytes = #size.expression<64 * batch * rows>}
// CHECK: plan.launch @k reads(%{{.*}}) writes(%[[A]]) nodes []
// CHECK-NEXT: plan.launch @k reads(%[[A]]) writes(%[[B]]) nodes []
// CHECK-NEXT: plan.launch @sum reads(%[[B]]) writes(%[[C]]) nodes []
// CHECK-NEXT: plan.launch @all reads(%[[B]], %[[C]]) writes(%[[D]]) nodes []
func.func @main(%x: !large) -> !large {
  %0 = kernel.launch @k(%x) : (!large) -> !large
  %1 = kernel.launch @k(%0) : (!large) -> !large
  %2 = kernel.launch @sum(%1) : (!large) -> !small
  %3 = kernel.launch @all(%1, %2) : (!large, !small) -> !large
  %4 = kernel.launch @k(%3) : (!large) -> !large
  return %4 : !large
}
}
