// How far a product runs goes from the program's sizes to the launch: outside of kernels it is computed by nobody.

// RUN: heddle-opt %s --heddle-lower -o %t.lower.mlir
// RUN: FileCheck %s --check-prefix=LOWER < %t.lower.mlir
// RUN: heddle-opt %t.lower.mlir --heddle-dispatch=target=x86-64-v3 -o %t.dispatch.mlir
// RUN: FileCheck %s --check-prefix=DISPATCH < %t.dispatch.mlir
// RUN: heddle-opt %t.dispatch.mlir --heddle-plan | FileCheck %s --check-prefix=PLAN

// LOWER-LABEL: func.func @main
// LOWER: %[[ROWS:.*]] = kernel.size <2 * a>(%arg3) : tensor<i32>
// LOWER: %[[TERMS:.*]] = kernel.size <a + b>(%arg3, %arg4) : tensor<i32>, tensor<i32>
// LOWER: kernel.contract %arg0, %arg1 limits(%[[ROWS]], %[[TERMS]]) {{.*}}limited = array<i64: 0, 2>
// LOWER-NOT: heddle.sizes

// Sizes come after the tensors, also of the epilogue. Products that differ in sizes share a kernel.
// DISPATCH: func.func private @k0(%[[X:.*]]: tensor<8x16xf32>, %[[W:.*]]: tensor<16x8xf32>, %[[B:.*]]: tensor<8xf32>, %[[M:.*]]: index, %[[K:.*]]: index) -> tensor<8x8xf32>
// DISPATCH: kernel.contract %[[X]], %[[W]] limits(%[[M]], %[[K]])
// DISPATCH-NOT: func.func private
// DISPATCH: func.func @main
// DISPATCH: %[[R:.*]] = kernel.size
// DISPATCH: %[[T:.*]] = kernel.size
// DISPATCH: kernel.launch @k0(%arg0, %arg1, %arg2) sizes(%[[R]], %[[T]]) : (tensor<8x16xf32>
// DISPATCH: kernel.launch @k0({{.*}}) sizes(%

// The symbols are numbers of the program; nothing writes them to memory.
// PLAN: plan.program @main
// PLAN-NOT: plan.extent
// PLAN: plan.launch @k0 {{.*}} sizes [#size.expression<2 * a>, #size.expression<a + b>] nodes
// PLAN: plan.launch @k0 {{.*}} sizes [#size.expression<b>, #size.expression<b>] nodes
// PLAN-NOT: plan.extent
module attributes {heddle.symbols = [{maximum = 4 : i64, minimum = 0 : i64, name = "a"}, {maximum = 12 : i64, minimum = 0 : i64, name = "b"}]} {
  func.func @main(%x: tensor<8x16xf32>, %w: tensor<16x8xf32>, %b: tensor<8xf32>, %s0: tensor<i32> {heddle.extent = "a"}, %s1: tensor<i32> {heddle.extent = "b"})
      -> (tensor<8x8xf32>, tensor<8x8xf32>) {
    %bias = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<8xf32>) -> tensor<8x8xf32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] {heddle.sizes = #size.extents<2 * a, 8, a + b>} : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
    %1 = stablehlo.add %0, %bias : tensor<8x8xf32>
    %2 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] {heddle.sizes = #size.extents<b, 8, b>} : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
    %3 = stablehlo.add %2, %bias : tensor<8x8xf32>
    return %1, %3 : tensor<8x8xf32>, tensor<8x8xf32>
  }
}
