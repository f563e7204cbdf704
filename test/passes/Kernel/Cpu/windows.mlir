// RUN: heddle-opt %s --heddle-lower-kernels | FileCheck %s

// Lanes lie along the last dimension though the window moves along it: those outside of the input keep what they have. A stride makes
// the loads gathers; without padding nothing is compared.

module attributes {heddle.target = "x86-64-v4"} {
  // CHECK-LABEL: func.func private @padded(
  // CHECK: %[[EXISTS:.*]] = arith.cmpi ult, %{{.*}} : vector<16xi32>
  // CHECK: %[[IN:.*]] = vector.maskedload %{{.*}}, %[[EXISTS]], %{{.*}} into vector<16xf32>
  // CHECK: arith.cmpf ogt, %[[IN]], %[[ACC:.*]] : vector<16xf32>
  // CHECK: arith.select %[[EXISTS]], %{{.*}}, %[[ACC]] : vector<16xi1>, vector<16xf32>
  // CHECK: return
  func.func private @padded(%x: tensor<3x32xf32>) -> tensor<3x32xf32> attributes {kernel.entry} {
    %init = arith.constant 0xFF800000 : f32
    %result = kernel.reduce_window inputs(%x) inits(%init) {base_dilations = array<i64: 1, 1>, padding = array<i64: 0, 0, 1, 1>, strides = array<i64: 1, 1>,
        window = array<i64: 1, 3>, window_dilations = array<i64: 1, 1>} : (tensor<3x32xf32>, f32) -> tensor<3x32xf32> {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.maximumf %a, %b : f32
      kernel.yield %0 : f32
    }
    return %result : tensor<3x32xf32>
  }

  // CHECK-LABEL: func.func private @strided(
  // CHECK-NOT: arith.cmpi ult, %{{.*}} : vector
  // CHECK: vector.gather
  // CHECK-NOT: arith.cmpi ult, %{{.*}} : vector
  // CHECK: return
  func.func private @strided(%x: tensor<3x66xf32>) -> tensor<3x32xf32> attributes {kernel.entry} {
    %init = arith.constant 0xFF800000 : f32
    %result = kernel.reduce_window inputs(%x) inits(%init) {base_dilations = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 2>,
        window = array<i64: 1, 4>, window_dilations = array<i64: 1, 1>} : (tensor<3x66xf32>, f32) -> tensor<3x32xf32> {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.maximumf %a, %b : f32
      kernel.yield %0 : f32
    }
    return %result : tensor<3x32xf32>
  }
}
