// Products of stored integers, as a target has them that multiplies these faster than f32: the interpreter runs what dispatch makes for it, and the kernels of
// processors, which are not fast at it, run the same. Steps are powers of two, so that every way of computing gives equal bits, also that of floats.
// RUN: heddle-opt %s --heddle-graph --heddle-lower --heddle-assign-target="target=x86-64-v2 spelled" -o %t.lowered.mlir
// RUN: sed -e 's/quad_packing = "[^"]*"/quad_packing = ""/g' \
// RUN:   -e 's/quantized_products = \[[^]]*\]/quantized_products = ["contraction ui8 i8 i32", "contraction i8 i8 i32", "convolution i8 i8 i32"]/' %t.lowered.mlir > %t.integers.mlir
// RUN: heddle-opt %t.integers.mlir --heddle-dispatch -o %t.dispatched.mlir
// RUN: FileCheck %s < %t.dispatched.mlir
// CHECK-DAG: kernel.weight @{{.*}} : tensor<6x3xi8> packing "* k n -> * n/32 k n%32"
// CHECK-DAG: kernel.contract %{{.*}} tensor<5x6xi8>, tensor<1x6x32xi8> -> tensor<5x3xi32>
// CHECK-DAG: kernel.contract %{{.*}} : tensor<2x5x6xi8>, tensor<2x6x4xi8> -> tensor<2x5x4xi32>
// CHECK-DAG: kernel.convolution %{{.*}} : tensor<1x9x2xi8>, tensor<{{.*}}xi8> -> tensor<1x9x3xi32>

// RUN: sed -e 's/quantized_products = \[[^]]*\]/quantized_products = ["contraction ui8 i8 i32", "convolution ui8 i8 i32"]/' \
// RUN:   -e 's#filter_quad_packing = ""#filter_quad_packing = "* i (g=1 o) -> g o/32 * i/4 o%%32 i%%4"#' \
// RUN:   -e 's#, quad_packing = ""#, quad_packing = "* k n -> * n/32 k/4 n%%32 k%%4"#' %t.dispatched.mlir > %t.processor.mlir
// RUN: heddle compile -q --start-from=heddle-dispatch %t.processor.mlir -t x86-64-v2 -o %t.heddle
// RUN: heddle compare %s %t.heddle --rtol 0 --atol 0 | FileCheck %s --check-prefix=EQUAL
// RUN: heddle compare %s --stages --stage-file heddle-dispatch=%t.dispatched.mlir --rtol 0 --atol 0 | FileCheck %s --check-prefix=EQUAL
// RUN: heddle compare %s -t x86-64-v2 --rtol 0 --atol 0 | FileCheck %s --check-prefix=EQUAL
// EQUAL: ok
// EQUAL-NOT: WRONG
!x = !quant.uniform<u8:f32, 0.0625:3>
!y = !quant.uniform<i8:f32, 0.03125:-5>
!z = !quant.uniform<i8:f32, 0.03125>
!w = !quant.uniform<i8:f32:1, {0.5, 0.25, 1.0}>
!v = !quant.uniform<i8:f32:2, {0.5, 0.25, 1.0}>
!r = !quant.uniform<i8:f32, 2.0:1>
func.func @main(%a: tensor<5x6xf32>, %b: tensor<2x5x6xf32>, %c: tensor<2x6x4xf32>, %d: tensor<1x9x2xf32>) -> (tensor<5x3xf32>, tensor<5x3xf32>, tensor<2x5x4xf32>, tensor<1x9x3xf32>) {
  %w = stablehlo.constant dense<[[1.0, 2.0, -3.0], [-4.0, 5.5, 6.0], [7.0, -8.0, 9.0], [1.5, 2.5, 3.5], [-60.0, 30.0, 100.0], [0.0, 1.0, -0.5]]> : tensor<6x3xf32>
  %bias = stablehlo.constant dense<[0.5, -1.5, 3.0]> : tensor<3xf32>
  %qw = stablehlo.uniform_quantize %w : (tensor<6x3xf32>) -> tensor<6x3x!w>
  %dw = stablehlo.uniform_dequantize %qw : (tensor<6x3x!w>) -> tensor<6x3xf32>
  %qa = stablehlo.uniform_quantize %a : (tensor<5x6xf32>) -> tensor<5x6x!x>
  %da = stablehlo.uniform_dequantize %qa : (tensor<5x6x!x>) -> tensor<5x6xf32>
  %p = stablehlo.dot_general %da, %dw, contracting_dims = [1] x [0] : (tensor<5x6xf32>, tensor<6x3xf32>) -> tensor<5x3xf32>
  %wide = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<3xf32>) -> tensor<5x3xf32>
  %0 = stablehlo.add %p, %wide : tensor<5x3xf32>
  %q0 = stablehlo.uniform_quantize %0 : (tensor<5x3xf32>) -> tensor<5x3x!r>
  %1 = stablehlo.uniform_dequantize %q0 : (tensor<5x3x!r>) -> tensor<5x3xf32>
  %qb = stablehlo.uniform_quantize %b : (tensor<2x5x6xf32>) -> tensor<2x5x6x!y>
  %db = stablehlo.uniform_dequantize %qb : (tensor<2x5x6x!y>) -> tensor<2x5x6xf32>
  %qc = stablehlo.uniform_quantize %c : (tensor<2x6x4xf32>) -> tensor<2x6x4x!y>
  %dc = stablehlo.uniform_dequantize %qc : (tensor<2x6x4x!y>) -> tensor<2x6x4xf32>
  %2 = stablehlo.dot_general %db, %dc, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x5x6xf32>, tensor<2x6x4xf32>) -> tensor<2x5x4xf32>
  %f = stablehlo.constant dense<[[[1.0, 2.0, -3.0], [-4.0, 5.5, 6.0]], [[7.0, -8.0, 9.0], [1.5, 2.5, 3.5]], [[-60.0, 30.0, 100.0], [0.0, 1.0, -0.5]]]> : tensor<3x2x3xf32>
  %qf = stablehlo.uniform_quantize %f : (tensor<3x2x3xf32>) -> tensor<3x2x3x!v>
  %df = stablehlo.uniform_dequantize %qf : (tensor<3x2x3x!v>) -> tensor<3x2x3xf32>
  %qd = stablehlo.uniform_quantize %d : (tensor<1x9x2xf32>) -> tensor<1x9x2x!z>
  %dd = stablehlo.uniform_dequantize %qd : (tensor<1x9x2x!z>) -> tensor<1x9x2xf32>
  %3 = stablehlo.convolution(%dd, %df) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x9x2xf32>, tensor<3x2x3xf32>) -> tensor<1x9x3xf32>
  return %0, %1, %2, %3 : tensor<5x3xf32>, tensor<5x3xf32>, tensor<2x5x4xf32>, tensor<1x9x3xf32>
}
