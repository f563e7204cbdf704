// One module for two targets: a processor, and one whose kernels take bf16 sums of bf16 and f8 alone, multiply stored integers, read panels of 16 columns with
// pairs of rows, join two parts at most, and do not step over the zeros of a dilated input. A third one is the second with f8 in tensors.

// RUN: heddle-opt %s --heddle-lower -o %t.lower.mlir
// RUN: FileCheck %s --check-prefix=LOWER < %t.lower.mlir
// RUN: heddle-opt %t.lower.mlir --heddle-dispatch=target=x86-64-v3 | FileCheck %s --check-prefix=CPU
// RUN: heddle-opt %t.lower.mlir --heddle-assign-target="target=x86-64-v3 spelled" -o %t.spelled.mlir
// RUN: sed -e 's#matrix_packing = "[^"]*"#matrix_packing = "* k n -> * n/16 k/2 n%16 k%2"#' -e 's/reads_worth_widening = 128/reads_worth_widening = 1000000/' \
// RUN:   -e 's/maximum_parts = 64/maximum_parts = 2/' -e 's/split_products = [0-9]*/split_products = 1/' \
// RUN:   -e 's/"contraction f32 f32 f32"/"contraction f8E4M3FN f8E4M3FN f32"/' -e 's/quad_packing = "[^"]*"/quad_packing = ""/g' -e 's/pair_packing = "[^"]*"/pair_packing = ""/g' \
// RUN:   -e 's/quantized_products = \[[^]]*\]/quantized_products = ["contraction ui8 ui8 i32"]/' %t.spelled.mlir > %t.other.mlir
// RUN: heddle-opt %t.other.mlir --heddle-dispatch | FileCheck %s --check-prefix=OTHER
// RUN: heddle-opt %t.other.mlir --heddle-dispatch -o %t.dispatched.mlir
// RUN: FileCheck %s --check-prefix=SPLIT < %t.dispatched.mlir
// RUN: sed 's/narrow_elements = \[\]/narrow_elements = ["f8E4M3FN"]/' %t.other.mlir | heddle-opt --heddle-dispatch | FileCheck %s --check-prefix=HOLDS

// For the second there are no kernels among those of processors.
// RUN: not heddle-opt %t.dispatched.mlir --heddle-lower-kernels 2>&1 | FileCheck %s --check-prefix=KERNEL
// KERNEL: no kernel for processors reads what is packed as '* k n -> * n/16 k/2 n%16 k%2'

// LOWER-NOT: packing
// LOWER-DAG: kernel.contract %{{.*}}, %{{.*}} {{.*}}: tensor<8x64xbf16>, tensor<64x160xbf16> -> tensor<8x160xf32>
// LOWER-DAG: kernel.contract %arg1, %arg2 {{.*}}"reduction"]} : tensor<8x64xf8E4M3FN>, tensor<64x8xf8E4M3FN> -> tensor<8x8xf32>
// LOWER-DAG: prec.dequantize %{{.*}} {storage_type = ui8} : tensor<8x4xi8>, tensor<f32>, tensor<i8> -> tensor<8x4xf32>
// LOWER-DAG: kernel.concatenate %{{.*}}, %{{.*}}, %{{.*}} {dimension = 1 : i64}
// LOWER-DAG: kernel.convolution %{{.*}} lhs_dilation = array<i64: 2>

// CPU: heddle.target = "x86-64-v3"
// CPU: kernel.weight @{{.*}} : tensor<64x160xbf16> packing "* k n -> * n/32 k/2 n%32 k%2"
// CPU-DAG: kernel.contract %{{.*}}, %{{.*}} {{.*}}rhs_packing = "* k n -> * n/32 k/2 n%32 k%2"} : tensor<8x64xbf16>, tensor<5x32x32x2xbf16> -> tensor<8x160xf32>
// CPU-DAG: kernel.contract %{{.*}}, %{{.*}} : tensor<8x64xf32>, tensor<64x8xf32> -> tensor<8x8xf32>
// CPU-DAG: kernel.concatenate %{{.*}}, %{{.*}}, %{{.*}} {dimension = 1 : i64}
// CPU-DAG: kernel.convolution %{{.*}} lhs_dilation = array<i64: 2>
// CPU-DAG: arith.uitofp %{{.*}} : i8 to f32
// CPU-DAG: kernel.contract %{{.*}}, %{{.*}} : tensor<8x4xf32>, tensor<8x4xf32> -> tensor<8x8xf32>

// OTHER: kernel.weight @{{.*}} : tensor<64x160xbf16> packing "* k n -> * n/16 k/2 n%16 k%2"
// OTHER-DAG: kernel.contract %{{.*}}, %{{.*}} {{.*}}lhs_type = ui8, rhs_type = ui8} : tensor<8x4xi8>, tensor<8x4xi8> -> tensor<8x8xi32>
// OTHER-DAG: kernel.contract %{{.*}}, %{{.*}} {{.*}}rhs_packing = "* k n -> * n/16 k/2 n%16 k%2"} : tensor<8x64xbf16>, tensor<10x32x16x2xbf16> -> tensor<8x160xf32>
// OTHER-DAG: kernel.contract %{{.*}}, %{{.*}} {{.*}}lhs_type = f8E4M3FN, rhs_type = f8E4M3FN} : tensor<8x64xi8>, tensor<64x8xi8> -> tensor<8x8xf32>

// HOLDS-DAG: kernel.contract %{{.*}}, %{{.*}} {{.*}}"reduction"]} : tensor<8x64xf8E4M3FN>, tensor<64x8xf8E4M3FN> -> tensor<8x8xf32>
// HOLDS-DAG: func.func @main(%{{.*}}: tensor<8x64xbf16>, %{{.*}}: tensor<8x64xf8E4M3FN>,
// CPU-DAG: func.func @main(%{{.*}}: tensor<8x64xbf16>, %{{.*}}: tensor<8x64xi8> {heddle.type = tensor<8x64xf8E4M3FN>},

// SPLIT: heddle.target
// SPLIT-NOT: kernel.concatenate %{{[^ ]*}}, %{{[^ ]*}}, %
// SPLIT-NOT: lhs_dilation = array<i64: 2>
func.func @main(%x: tensor<8x64xbf16>, %a: tensor<8x64xf8E4M3FN>, %b: tensor<64x8xf8E4M3FN>, %q: tensor<8x4xui8>, %p: tensor<8x4xf32>, %v: tensor<1x5x8xf32>, %f: tensor<4x8x8xf32>) -> (tensor<8x160xf32>, tensor<8x8xf32>, tensor<8x12xf32>, tensor<1x10x8xf32>, tensor<8x8xf32>) {
  %scale = stablehlo.constant dense<0.5> : tensor<f32>
  %zero = stablehlo.constant dense<3> : tensor<ui8>
  %d = prec.dequantize %q, %scale, %zero : tensor<8x4xui8>, tensor<f32>, tensor<ui8> -> tensor<8x4xf32>
  %4 = stablehlo.dot_general %d, %d, contracting_dims = [1] x [1] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %2 = stablehlo.concatenate %d, %p, %d, dim = 1 : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x12xf32>
  %3 = stablehlo.convolution(%v, %f) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[2, 2]], lhs_dilate = [2]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x8xf32>, tensor<4x8x8xf32>) -> tensor<1x10x8xf32>
  %i = stablehlo.iota dim = 0 : tensor<64x160xbf16>
  %c = stablehlo.constant dense<[[0.5], [1.5]]> : tensor<2x1xbf16>
  %r = stablehlo.broadcast_in_dim %c, dims = [0, 1] : (tensor<2x1xbf16>) -> tensor<2x5120xbf16>
  %s = stablehlo.reshape %r : (tensor<2x5120xbf16>) -> tensor<64x160xbf16>
  %w = stablehlo.add %i, %s : tensor<64x160xbf16>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x64xbf16>, tensor<64x160xbf16>) -> tensor<8x160xf32>
  %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x64xf8E4M3FN>, tensor<64x8xf8E4M3FN>) -> tensor<8x8xf32>
  return %0, %1, %2, %3, %4 : tensor<8x160xf32>, tensor<8x8xf32>, tensor<8x12xf32>, tensor<1x10x8xf32>, tensor<8x8xf32>
}
