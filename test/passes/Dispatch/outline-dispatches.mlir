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

// -----

// Numbers in which equal dispatches differ are passed, one where two uses always agree, whether or not they were one
// constant; the others stay.
// CHECK: func private @k0(%{{.*}}: tensor<4xf32> {kernel.in_place = 0 : i64}, %[[S:[^:]*]]: f32) -> tensor<4xf32>
// CHECK: ^bb0(%[[IN:[^:]*]]: f32
// CHECK-NEXT: %[[LOW:.*]] = arith.constant -5.000000e-01 : f32
// CHECK-NEXT: %[[D:.*]] = arith.divf %[[IN]], %[[S]]
// CHECK-NEXT: %[[M:.*]] = arith.maximumf %[[LOW]], %[[D]]
// CHECK-NEXT: arith.mulf %[[M]], %[[S]]
// CHECK-NOT: @k1
// CHECK-LABEL: func @numbers
func.func @numbers(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: kernel.launch @k0(%{{.*}}) scalars [2.500000e-01 : f32] :
  %0 = kernel.dispatch(%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %n = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %s = arith.constant 0.25 : f32
      %lo = arith.constant -0.5 : f32
      %d = arith.divf %in, %s : f32
      %m = arith.maximumf %lo, %d : f32
      %r = arith.mulf %m, %s : f32
      linalg.yield %r : f32
    } -> tensor<4xf32>
    kernel.yield %n : tensor<4xf32>
  }
  // CHECK: kernel.launch @k0(%{{.*}}) scalars [1.000000e+00 : f32] :
  %1 = kernel.dispatch(%a = %0 : tensor<4xf32>) -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %n = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %two = arith.constant 1.0 : f32
      %s = arith.constant 1.0 : f32
      %lo = arith.constant -0.5 : f32
      %d = arith.divf %in, %s : f32
      %m = arith.maximumf %lo, %d : f32
      %r = arith.mulf %m, %two : f32
      linalg.yield %r : f32
    } -> tensor<4xf32>
    kernel.yield %n : tensor<4xf32>
  }
  return %1 : tensor<4xf32>
}

// -----

// What is expanded by its value makes kernels of their own, as do numbers that positions are made of.
// CHECK: func private @k0(%{{[^:]*}}: tensor<4xi32>{{[^%]*}})
// CHECK: func private @k1(%{{[^:]*}}: tensor<4xi32>{{[^%]*}})
// CHECK: func private @k2(%{{[^:]*}}: tensor<4xi32>{{[^%]*}})
// CHECK: func private @k3(%{{[^:]*}}: tensor<4xi32>{{[^%]*}})
// CHECK-NOT: @k4
// CHECK-LABEL: func @values
func.func @values(%x: tensor<4xi32>) -> tensor<4xi32> {
  %0 = kernel.dispatch(%a = %x : tensor<4xi32>) -> tensor<4xi32> {
    %e = tensor.empty() : tensor<4xi32>
    %n = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a : tensor<4xi32>) outs(%e : tensor<4xi32>) {
    ^bb0(%in: i32, %out: i32):
      %c = arith.constant 3 : i32
      %r = arith.divsi %in, %c : i32
      linalg.yield %r : i32
    } -> tensor<4xi32>
    kernel.yield %n : tensor<4xi32>
  }
  %1 = kernel.dispatch(%a = %0 : tensor<4xi32>) -> tensor<4xi32> {
    %e = tensor.empty() : tensor<4xi32>
    %n = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a : tensor<4xi32>) outs(%e : tensor<4xi32>) {
    ^bb0(%in: i32, %out: i32):
      %c = arith.constant 5 : i32
      %r = arith.divsi %in, %c : i32
      linalg.yield %r : i32
    } -> tensor<4xi32>
    kernel.yield %n : tensor<4xi32>
  }
  %2 = kernel.dispatch(%a = %1 : tensor<4xi32>) -> tensor<4xi32> {
    %e = tensor.empty() : tensor<4xi32>
    %n = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a : tensor<4xi32>) outs(%e : tensor<4xi32>) {
    ^bb0(%in: i32, %out: i32):
      %c = arith.constant 7 : i32
      %i = linalg.index 0 : index
      %j = arith.index_cast %i : index to i32
      %r = arith.addi %j, %c : i32
      linalg.yield %r : i32
    } -> tensor<4xi32>
    kernel.yield %n : tensor<4xi32>
  }
  %3 = kernel.dispatch(%a = %2 : tensor<4xi32>) -> tensor<4xi32> {
    %e = tensor.empty() : tensor<4xi32>
    %n = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a : tensor<4xi32>) outs(%e : tensor<4xi32>) {
    ^bb0(%in: i32, %out: i32):
      %c = arith.constant 9 : i32
      %i = linalg.index 0 : index
      %j = arith.index_cast %i : index to i32
      %r = arith.addi %j, %c : i32
      linalg.yield %r : i32
    } -> tensor<4xi32>
    kernel.yield %n : tensor<4xi32>
  }
  return %3 : tensor<4xi32>
}
