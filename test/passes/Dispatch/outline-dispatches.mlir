// RUN: heddle-opt %s --heddle-outline-dispatches --split-input-file | FileCheck %s

// CHECK: func private @k0(%[[A:.*]]: tensor<4xf32> {kernel.in_place = 0 : i64}) -> tensor<4xf32> attributes {kernel.entry}
// CHECK-NOT: @k1
// CHECK-LABEL: func @equal
func.func @equal(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[Y:.*]] = kernel.launch @k0
  %0 = kernel.dispatch(%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %n = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %r = arith.negf %in : f32
      linalg.yield %r : f32
    } -> tensor<4xf32>
    kernel.yield %n : tensor<4xf32>
  }
  // CHECK: kernel.launch @k0(%[[Y]])
  %1 = kernel.dispatch(%other = %0 : tensor<4xf32>) -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %n = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%other : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %r = arith.negf %in : f32
      linalg.yield %r : f32
    } -> tensor<4xf32>
    kernel.yield %n : tensor<4xf32>
  }
  return %1 : tensor<4xf32>
}

// -----

// A point that is read elsewhere first may not be overwritten.
// CHECK: func private @k0(%{{.*}}: tensor<4xf32>) -> tensor<4xf32>
// CHECK-LABEL: func @reversed
func.func @reversed(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = kernel.dispatch(%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %n = linalg.generic {indexing_maps = [affine_map<(i) -> (3 - i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4xf32>
    kernel.yield %n : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// CHECK: func private @k0(%{{.*}}: tensor<8xf32> {kernel.tied = 0 : i64}, %{{.*}}: tensor<2xf32>, %{{.*}}: tensor<i64>)
// CHECK-LABEL: func @tied
func.func @tied(%x: tensor<8xf32>, %u: tensor<2xf32>, %i: tensor<i64>) -> tensor<8xf32> {
  %0 = kernel.dispatch(%a = %x : tensor<8xf32>, %b = %u : tensor<2xf32>, %c = %i : tensor<i64>) -> tensor<8xf32> {
    %r = kernel.dynamic_update_slice %a, %b, (%c) : tensor<8xf32>, tensor<2xf32>, (tensor<i64>) -> tensor<8xf32>
    kernel.yield %r : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
