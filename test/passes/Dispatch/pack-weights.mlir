// RUN: heddle-opt %s --heddle-assign-target=target=x86-64-v3 --heddle-pack-weights --split-input-file | FileCheck %s

// The transpose that packing needs is the packer's work; the plain form is gone.
// CHECK: #[[NK:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-NOT: kernel.weight @w0
// CHECK: kernel.weight @w1 : tensor<4x40xf32> packing "* k n -> * n/32 k n%32" {
// CHECK: %[[T:.*]] = stablehlo.transpose %{{.*}}, dims = [1, 0] : (tensor<40x4xf32>) -> tensor<4x40xf32>
// CHECK: kernel.yield %[[T]]
kernel.weight @w0 : tensor<40x4xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<40x4xf32>
  kernel.yield %0 : tensor<40x4xf32>
}
// CHECK-LABEL: func @main
func.func @main(%x: tensor<3x4xf32>) -> tensor<3x40xf32> {
  // CHECK: %[[W:.*]] = kernel.weight_ref @w1 : tensor<2x4x32xf32>
  // CHECK: kernel.contract %{{.*}}, %[[W]] {{{.*}}indexing_maps = [#{{.*}}, #[[NK]], #{{.*}}], {{.*}}rhs_packing = "* k n -> * n/32 k n%32"}
  %w = kernel.weight_ref @w0 : tensor<40x4xf32>
  %0 = kernel.contract %x, %w {
    extents = array<i64: 3, 40, 4>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } : tensor<3x4xf32>, tensor<40x4xf32> -> tensor<3x40xf32>
  return %0 : tensor<3x40xf32>
}

// -----

// Who reads the weight as it is keeps it; depthwise weights are never packed.
// CHECK: kernel.weight @w0 : tensor<3x3x1x64xf32> {
// CHECK-NOT: packing
kernel.weight @w0 : tensor<3x3x1x64xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<3x3x1x64xf32>
  kernel.yield %0 : tensor<3x3x1x64xf32>
}
// CHECK-LABEL: func @main
func.func @main(%x: tensor<1x5x5x64xf32>) -> tensor<1x3x3x64xf32> {
  %w = kernel.weight_ref @w0 : tensor<3x3x1x64xf32>
  %0 = kernel.convolution %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, lhs_dilation = array<i64: 1, 1>,
    rhs_dilation = array<i64: 1, 1>, groups = 64 : i64} : tensor<1x5x5x64xf32>, tensor<3x3x1x64xf32> -> tensor<1x3x3x64xf32>
  return %0 : tensor<1x3x3x64xf32>
}

// -----

// CHECK: kernel.weight @w1 : tensor<3x3x4x64xf32> packing "* i (g=2 o) -> g o/32 * i o%32"
kernel.weight @w0 : tensor<3x3x4x64xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<3x3x4x64xf32>
  kernel.yield %0 : tensor<3x3x4x64xf32>
}
// CHECK-LABEL: func @main
func.func @main(%x: tensor<1x5x5x8xf32>) -> tensor<1x3x3x64xf32> {
  // CHECK: kernel.weight_ref @w1 : tensor<2x1x3x3x4x32xf32>
  %w = kernel.weight_ref @w0 : tensor<3x3x4x64xf32>
  // CHECK: kernel.convolution {{.*}}weights_packing = "* i (g=2 o) -> g o/32 * i o%32"
  %0 = kernel.convolution %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, lhs_dilation = array<i64: 1, 1>,
    rhs_dilation = array<i64: 1, 1>, groups = 2 : i64} : tensor<1x5x5x8xf32>, tensor<3x3x4x64xf32> -> tensor<1x3x3x64xf32>
  return %0 : tensor<1x3x3x64xf32>
}
