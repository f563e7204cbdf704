// Products of bf16 that kernels of processors take in pairs of terms, and those they do not.
// RUN: heddle-opt %s --heddle-lower --heddle-assign-target=target=x86-64-v3 --heddle-legalize-roots --heddle-pack-weights | FileCheck %s

// Both operands stay bf16, however many columns read a row.
// CHECK-LABEL: func.func @main(
// CHECK: kernel.contract %arg0, %{{.*}}rhs_packing = "* k n -> * n/32 k/2 n%32 k%2"} : tensor<5x8xbf16>, tensor<6x4x32x2xbf16> -> tensor<5x192xf32>
// CHECK: arith.truncf

// An odd number of terms: the last one has a zero beside it.
// CHECK: kernel.contract %arg1, {{.*}}rhs_packing = "* k n -> * n/32 k/2 n%32 k%2"} : tensor<5x7xbf16>, tensor<6x4x32x2xbf16> -> tensor<5x192xf32>
// Terms that do not follow each other on the left.
// CHECK: kernel.contract {{.*}}rhs_packing = "* k n -> * n/32 k n%32"} : tensor<8x5xf32>, tensor<6x8x32xbf16> -> tensor<5x192xf32>
// Of f16 there are no such products.
// CHECK: kernel.contract {{.*}}rhs_packing = "* k n -> * n/32 k n%32"} : tensor<5x8xf32>, tensor<6x8x32xf16> -> tensor<5x192xf32>
// A right side that is no weight: a kernel copies it in pairs.
// CHECK: kernel.contract %arg0, %arg4 {{.*}} : tensor<5x8xbf16>, tensor<8x192xbf16> -> tensor<5x192xf32>
// Not where terms do not follow each other on the left.
// CHECK: kernel.contract %{{.*}}, %arg4 {{.*}} : tensor<8x5xf32>, tensor<8x192xbf16> -> tensor<5x192xf32>

// A filter whose input channels come in twos, and one whose do not.
// CHECK: kernel.convolution %arg5, %{{.*}}weights_packing = "* i (g=1 o) -> g o/32 * i/2 o%32 i%2"} : tensor<1x6x5x4xbf16>, tensor<1x1x3x3x2x32x2xbf16> -> tensor<1x6x5x2xf32>
// CHECK: kernel.convolution %arg6, {{.*}}weights_packing = "* i (g=1 o) -> g o/32 * i o%32"} : tensor<1x6x5x3xbf16>, tensor<1x1x3x3x3x32xbf16> -> tensor<1x6x5x2xf32>
func.func @main(%a: tensor<5x8xbf16>, %b: tensor<5x7xbf16>, %c: tensor<8x5xbf16>, %d: tensor<5x8xf16>, %e: tensor<8x192xbf16>,
    %f: tensor<1x6x5x4xbf16>, %g: tensor<1x6x5x3xbf16>)
    -> (tensor<5x192xbf16>, tensor<5x192xf32>, tensor<5x192xf32>, tensor<5x192xf32>, tensor<5x192xf32>, tensor<5x192xf32>, tensor<1x6x5x2xf32>,
        tensor<1x6x5x2xf32>) {
  %w0 = stablehlo.constant dense<[[0.5], [1.5]]> : tensor<2x1xbf16>
  %w1 = stablehlo.broadcast_in_dim %w0, dims = [0, 1] : (tensor<2x1xbf16>) -> tensor<2x768xbf16>
  %w = stablehlo.reshape %w1 : (tensor<2x768xbf16>) -> tensor<8x192xbf16>
  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<5x8xbf16>, tensor<8x192xbf16>) -> tensor<5x192xbf16>
  %v0 = stablehlo.constant dense<[[0.5], [1.5]]> : tensor<2x1xbf16>
  %v1 = stablehlo.broadcast_in_dim %v0, dims = [0, 1] : (tensor<2x1xbf16>) -> tensor<2x672xbf16>
  %v = stablehlo.reshape %v1 : (tensor<2x672xbf16>) -> tensor<7x192xbf16>
  %1 = stablehlo.dot_general %b, %v, contracting_dims = [1] x [0] : (tensor<5x7xbf16>, tensor<7x192xbf16>) -> tensor<5x192xf32>
  %2 = stablehlo.dot_general %c, %w, contracting_dims = [0] x [0] : (tensor<8x5xbf16>, tensor<8x192xbf16>) -> tensor<5x192xf32>
  %u0 = stablehlo.constant dense<[[0.5], [1.5]]> : tensor<2x1xf16>
  %u1 = stablehlo.broadcast_in_dim %u0, dims = [0, 1] : (tensor<2x1xf16>) -> tensor<2x768xf16>
  %u = stablehlo.reshape %u1 : (tensor<2x768xf16>) -> tensor<8x192xf16>
  %3 = stablehlo.dot_general %d, %u, contracting_dims = [1] x [0] : (tensor<5x8xf16>, tensor<8x192xf16>) -> tensor<5x192xf32>
  %4 = stablehlo.dot_general %a, %e, contracting_dims = [1] x [0] : (tensor<5x8xbf16>, tensor<8x192xbf16>) -> tensor<5x192xf32>
  %7 = stablehlo.dot_general %c, %e, contracting_dims = [0] x [0] : (tensor<8x5xbf16>, tensor<8x192xbf16>) -> tensor<5x192xf32>
  %xm0 = stablehlo.constant dense<[[0.5], [1.5], [2.5], [3.5], [4.5], [5.5], [6.5], [7.5], [8.5], [9.5], [10.5], [11.5], [12.5], [13.5], [14.5], [15.5], [16.5], [17.5], [18.5], [19.5], [20.5], [21.5], [22.5], [23.5], [24.5], [25.5], [26.5], [27.5], [28.5], [29.5], [30.5], [31.5], [32.5], [33.5], [34.5], [35.5]]> : tensor<36x1xbf16>
  %xm = stablehlo.broadcast_in_dim %xm0, dims = [0, 1] : (tensor<36x1xbf16>) -> tensor<36x2xbf16>
  %x = stablehlo.reshape %xm : (tensor<36x2xbf16>) -> tensor<3x3x4x2xbf16>
  %5 = stablehlo.convolution(%f, %x) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x6x5x4xbf16>, tensor<3x3x4x2xbf16>) -> tensor<1x6x5x2xf32>
  %ym0 = stablehlo.constant dense<[[0.5], [1.5], [2.5], [3.5], [4.5], [5.5], [6.5], [7.5], [8.5], [9.5], [10.5], [11.5], [12.5], [13.5], [14.5], [15.5], [16.5], [17.5], [18.5], [19.5], [20.5], [21.5], [22.5], [23.5], [24.5], [25.5], [26.5]]> : tensor<27x1xbf16>
  %ym = stablehlo.broadcast_in_dim %ym0, dims = [0, 1] : (tensor<27x1xbf16>) -> tensor<27x2xbf16>
  %y = stablehlo.reshape %ym : (tensor<27x2xbf16>) -> tensor<3x3x3x2xbf16>
  %6 = stablehlo.convolution(%g, %y) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x6x5x3xbf16>, tensor<3x3x3x2xbf16>) -> tensor<1x6x5x2xf32>
  return %0, %1, %2, %3, %4, %7, %5, %6 : tensor<5x192xbf16>, tensor<5x192xf32>, tensor<5x192xf32>, tensor<5x192xf32>, tensor<5x192xf32>, tensor<5x192xf32>, tensor<1x6x5x2xf32>, tensor<1x6x5x2xf32>
}
