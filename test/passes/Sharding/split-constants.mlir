// RUN: heddle-opt %s --heddle-sharding-split-constants --split-input-file | FileCheck %s
// RUN: heddle-opt %s --heddle-sharding-split-constants --heddle-sharding-propagate --split-input-file | FileCheck %s --check-prefix=LIES

// A bias of zeros of two sums, also twice in one: each use has its own, and what is cut in one sum is not in the other.
// CHECK-LABEL: func.func @bias
// CHECK-COUNT-4: stablehlo.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NOT: stablehlo.constant
// CHECK: return
// LIES-LABEL: func.func @bias
// LIES: stablehlo.add %arg0, {{.*}}#sdy.sharding_per_value<[<@mesh, [{"x", ?}]>]>
// LIES: stablehlo.add %arg1, %{{[a-z0-9_]+}} : tensor<4xf32>
sdy.mesh @mesh = <["x"=2]>
func.func @bias(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %c = stablehlo.constant dense<0.0> : tensor<4xf32>
  %0 = stablehlo.add %a, %c : tensor<4xf32>
  %1 = stablehlo.add %b, %c : tensor<4xf32>
  %2 = stablehlo.multiply %c, %c : tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Forms of constants go with them; the user's word holds for all uses.
// CHECK-LABEL: func.func @forms
// CHECK: stablehlo.constant {{.*}}dense_resource
// CHECK: stablehlo.constant dense<1.000000e+00>
// CHECK: stablehlo.constant dense<1.000000e+00>
// CHECK: stablehlo.broadcast_in_dim
// CHECK-NEXT: stablehlo.broadcast_in_dim
// CHECK: %[[SUM:.*]] = stablehlo.add %arg0, %arg0
// CHECK-NOT: stablehlo.add %arg0, %arg0
// CHECK: return
sdy.mesh @mesh = <["x"=2]>
func.func @forms(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %w = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} dense_resource<w> : tensor<4xf32>
  %c = stablehlo.constant dense<1.0> : tensor<f32>
  %r = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %s = stablehlo.add %a, %a : tensor<4xf32>
  %0 = stablehlo.add %s, %r : tensor<4xf32>
  %1 = stablehlo.multiply %s, %r : tensor<4xf32>
  %2 = stablehlo.add %s, %w : tensor<4xf32>
  %3 = stablehlo.multiply %s, %w : tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

{-#
  dialect_resources: {
    builtin: {
      w: "0x040000000000803F0000803F0000803F0000803F"
    }
  }
#-}
