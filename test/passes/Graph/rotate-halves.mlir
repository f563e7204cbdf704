// RUN: heddle-opt --heddle-rotate-halves %s | FileCheck %s

// Both spellings, with tables of the whole last dimension and of half of it; the third turns the wrong way.
// CHECK-LABEL: func.func @rope
// CHECK-SAME: %[[X:[^:]*]]: tensor<2x3x8xf32>, %[[C:[^:]*]]: tensor<2x3x8xf32>, %[[S:[^:]*]]: tensor<2x3x8xf32>, %[[HC:[^:]*]]: tensor<2x3x4xf32>, %[[HS:[^:]*]]: tensor<2x3x4xf32>
func.func @rope(%x: tensor<2x3x8xf32>, %c: tensor<2x3x8xf32>, %s: tensor<2x3x8xf32>, %hc: tensor<2x3x4xf32>, %hs: tensor<2x3x4xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<2x3x8xf32>) {
  // CHECK: %[[SIGNS:.*]] = stablehlo.constant dense<[-1.000000e+00, 1.000000e+00]> : tensor<2xf32>
  // CHECK: %[[SPLIT:.*]] = stablehlo.reshape %[[X]] : (tensor<2x3x8xf32>) -> tensor<2x3x2x4xf32>
  // CHECK: %[[TURNED:.*]] = stablehlo.reverse %[[SPLIT]], dims = [2]
  // CHECK: %[[ALONG:.*]] = stablehlo.broadcast_in_dim %[[SIGNS]], dims = [2]
  // CHECK: %[[SIGNED:.*]] = stablehlo.multiply %[[TURNED]], %[[ALONG]]
  // CHECK: %[[SINE:.*]] = stablehlo.reshape %[[S]]
  // CHECK: stablehlo.multiply %[[SIGNED]], %[[SINE]]
  // CHECK: %[[FIRST:.*]] = stablehlo.reshape %{{.*}} : (tensor<2x3x2x4xf32>) -> tensor<2x3x8xf32>
  // CHECK: stablehlo.reverse
  // CHECK: stablehlo.broadcast_in_dim %[[HS]], dims = [0, 1, 3]
  // CHECK: stablehlo.broadcast_in_dim %[[HC]], dims = [0, 1, 3]
  // CHECK: %[[SECOND:.*]] = stablehlo.reshape %{{.*}} : (tensor<2x3x2x4xf32>) -> tensor<2x3x8xf32>
  // CHECK-NOT: stablehlo.reverse
  // CHECK: return %[[FIRST]], %[[SECOND]]
  %a = stablehlo.slice %x [0:2, 0:3, 0:4] : (tensor<2x3x8xf32>) -> tensor<2x3x4xf32>
  %b = stablehlo.slice %x [0:2, 0:3, 4:8] : (tensor<2x3x8xf32>) -> tensor<2x3x4xf32>
  %0 = stablehlo.negate %b : tensor<2x3x4xf32>
  %1 = stablehlo.concatenate %0, %a, dim = 2 : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x8xf32>
  %2 = stablehlo.multiply %x, %c : tensor<2x3x8xf32>
  %3 = stablehlo.multiply %1, %s : tensor<2x3x8xf32>
  %4 = stablehlo.add %2, %3 : tensor<2x3x8xf32>
  %5 = stablehlo.multiply %a, %hc : tensor<2x3x4xf32>
  %6 = stablehlo.multiply %b, %hs : tensor<2x3x4xf32>
  %7 = stablehlo.subtract %5, %6 : tensor<2x3x4xf32>
  %8 = stablehlo.multiply %b, %hc : tensor<2x3x4xf32>
  %9 = stablehlo.multiply %a, %hs : tensor<2x3x4xf32>
  %10 = stablehlo.add %8, %9 : tensor<2x3x4xf32>
  %11 = stablehlo.concatenate %7, %10, dim = 2 : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x8xf32>
  %12 = stablehlo.negate %a : tensor<2x3x4xf32>
  %13 = stablehlo.concatenate %12, %b, dim = 2 : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x8xf32>
  %14 = stablehlo.multiply %13, %s : tensor<2x3x8xf32>
  %15 = stablehlo.add %2, %14 : tensor<2x3x8xf32>
  return %4, %11, %15 : tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<2x3x8xf32>
}
