// What would see padding is kept from it; what would not is left alone.

// RUN: rm -rf %t && split-file %s %t
// RUN: heddle compile %t/product.mlir --shape arg0=0..5x4 --stop-after=import -o %t/product.out
// RUN: FileCheck %t/product.mlir < %t/product.out
// RUN: heddle compile %t/join.mlir --shape arg0=0..5x4 --stop-after=import -o %t/join.out
// RUN: FileCheck %t/join.mlir < %t/join.out
// RUN: heddle compile %t/inner.mlir --shape arg0=4x0..5 --stop-after=import -o %t/inner.out
// RUN: FileCheck %t/inner.mlir < %t/inner.out
// RUN: heddle compile %t/sort.mlir --shape arg0=1..5x4 --stop-after=import -o %t/sort.out
// RUN: FileCheck %t/sort.mlir < %t/sort.out
// RUN: heddle compile %t/windows.mlir --shape arg1=1..8x1 --shape arg2=1..8x2 --stop-after=import -o %t/windows.out
// RUN: FileCheck %t/windows.mlir < %t/windows.out

//--- product.mlir
// A contraction over the size: zeros on both sides. One beside it: nothing.
// CHECK: stablehlo.select
// CHECK: stablehlo.select
// CHECK: stablehlo.dot_general %{{.*}}, %{{.*}}, contracting_dims = [0] x [0]
// CHECK-NOT: stablehlo.select
// CHECK: stablehlo.dot_general %arg0, %{{.*}}, contracting_dims = [1] x [0]
func.func @main(%x: tensor<?x4xf32>) -> (tensor<4x4xf32>, tensor<?x4xf32>) {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0] : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.dot_general %x, %0, contracting_dims = [1] x [0] : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<?x4xf32>
}

//--- join.mlir
// The second piece goes where the first one ends.
// CHECK: %[[SIZE:[a-z0-9]+]]: tensor<i32> {heddle.extent = "{{[a-z0-9.]*}}"}
// CHECK: %[[LONG:.*]] = stablehlo.pad %arg0, %{{.*}}, low = [0, 0], high = [5, 0], interior = [0, 0]
// CHECK: stablehlo.dynamic_update_slice %[[LONG]], %arg0, %[[SIZE]], %
func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

//--- inner.mlir
// A size inside: rows of elements outside, spread and packed by a gather.
// CHECK: @main(%arg0: tensor<20xf32> {heddle.name = "arg0", heddle.shape = #size.extents<4, arg0.1>}
// CHECK-SAME: -> (tensor<20xf32> {heddle.name = "out0", heddle.shape = #size.extents<4, arg0.1>})
// CHECK: %[[IN:.*]] = "stablehlo.gather"
// CHECK: stablehlo.negate
// CHECK: "stablehlo.gather"
func.func @main(%x: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %0 = stablehlo.negate %x : tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}

//--- sort.mlir
// A flag is the first key.
// CHECK: %[[FLAG:.*]] = stablehlo.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<5x4xi1>, tensor<5x4xi32>
// CHECK: "stablehlo.sort"(%arg0, %[[FLAG]])
// CHECK: stablehlo.or
func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

//--- windows.mlir
// Windows that are not there reach in from nowhere: -1 would be one too near.
// CHECK: %[[NOWHERE:.*]] = stablehlo.constant dense<-2147483648> : tensor<i32>
// CHECK: %[[FILL:.*]] = stablehlo.broadcast_in_dim %[[NOWHERE]], dims = [] : (tensor<i32>) -> tensor<8x1xi32>
// CHECK: %[[PLACES:.*]] = stablehlo.select %{{.*}}, %arg1, %[[FILL]]
// CHECK: "stablehlo.scatter"(%arg0, %[[PLACES]], %arg2)
func.func @main(%x: tensor<6xi32>, %places: tensor<?x1xi32>, %rows: tensor<?x2xi32>) -> tensor<6xi32> {
  %0 = "stablehlo.scatter"(%x, %places, %rows) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<6xi32>, tensor<?x1xi32>, tensor<?x2xi32>) -> tensor<6xi32>
  return %0 : tensor<6xi32>
}
