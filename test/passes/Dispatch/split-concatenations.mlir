// RUN: heddle-opt %s --heddle-assign-target="target=x86-64-v3 spelled" -o %t.mlir
// RUN: heddle-opt %t.mlir --heddle-split-concatenations | FileCheck %s --check-prefix=WHOLE
// RUN: sed -e 's/maximum_parts = 64/maximum_parts = 2/' %t.mlir | heddle-opt --heddle-split-concatenations | FileCheck %s

// Five parts by twos: two pairs and one, a pair and one, a pair.
// WHOLE: kernel.concatenate %arg0, %arg1, %arg2, %arg3, %arg4 {dimension = 1 : i64}
// CHECK: %[[A:.*]] = kernel.concatenate %arg0, %arg1 {dimension = 1 : i64} : (tensor<2x1xf32>, tensor<2x2xf32>) -> tensor<2x3xf32>
// CHECK: %[[B:.*]] = kernel.concatenate %arg2, %arg3 {dimension = 1 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
// CHECK: %[[C:.*]] = kernel.concatenate %[[A]], %[[B]] {dimension = 1 : i64} : (tensor<2x3xf32>, tensor<2x7xf32>) -> tensor<2x10xf32>
// CHECK: kernel.concatenate %[[C]], %arg4 {dimension = 1 : i64} : (tensor<2x10xf32>, tensor<2x5xf32>) -> tensor<2x15xf32>
func.func @main(%a: tensor<2x1xf32>, %b: tensor<2x2xf32>, %c: tensor<2x3xf32>, %d: tensor<2x4xf32>, %e: tensor<2x5xf32>) -> tensor<2x15xf32> {
  %0 = kernel.concatenate %a, %b, %c, %d, %e {dimension = 1 : i64} : (tensor<2x1xf32>, tensor<2x2xf32>, tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x5xf32>) -> tensor<2x15xf32>
  return %0 : tensor<2x15xf32>
}

// What each group makes has the sizes of its parts.
// CHECK-LABEL: func @sized
// CHECK: kernel.concatenate %arg0, %arg1 {{.*}} -> tensor<2x10xf32, #size.extents<2, n + 5>>
// CHECK: kernel.concatenate %{{.*}}, %arg2 {{.*}} -> tensor<2x15xf32, #size.extents<2, 2 * n + 5>>
func.func @sized(%a: tensor<2x5xf32, #size.extents<2, n>>, %b: tensor<2x5xf32>, %c: tensor<2x5xf32, #size.extents<2, n>>) -> tensor<2x15xf32, #size.extents<2, 2 * n + 5>> {
  %0 = kernel.concatenate %a, %b, %c {dimension = 1 : i64} : (tensor<2x5xf32, #size.extents<2, n>>, tensor<2x5xf32>, tensor<2x5xf32, #size.extents<2, n>>) -> tensor<2x15xf32, #size.extents<2, 2 * n + 5>>
  return %0 : tensor<2x15xf32, #size.extents<2, 2 * n + 5>>
}
