// RUN: heddle-opt %s --heddle-quantize-weights=bits=4 | FileCheck %s
// RUN: heddle-opt %s --heddle-quantize-weights | FileCheck %s --check-prefix=BYTES
// RUN: heddle-opt %s --heddle-quantize-weights="bits=4 block=64" | FileCheck %s --check-prefix=LONG
// RUN: not heddle-opt %s --heddle-quantize-weights=bits=3 2>&1 | FileCheck %s --check-prefix=BITS
// RUN: not heddle-opt %s --heddle-quantize-weights=block=12 2>&1 | FileCheck %s --check-prefix=BLOCK
// BITS: weights have 3 bits in blocks of 32; 4 or 8 bits and a multiple of 8 are wanted
// BLOCK: weights have 8 bits in blocks of 12; 4 or 8 bits and a multiple of 8 are wanted

// CHECK: module attributes {heddle.precision = "w4a16 by blocks of 32 in 6 of 16 contractions and convolutions"}
// BYTES: module attributes {heddle.precision = "w8a16 by blocks of 32 in 7 of 16 contractions and convolutions"}
// LONG: module attributes {heddle.precision = "w4a16 by blocks of 64 in 6 of 16 contractions and convolutions"}

// Two products of a weight read one form of it; the last block is a part of one.
// CHECK-LABEL: func.func @shared
// CHECK: %[[W:.*]] = stablehlo.constant dense_resource<w>
// CHECK: %[[SCALE:.*]] = prec.fit_scale %[[W]] axis 0 block 32 integer -8 : tensor<72x32xf32> -> tensor<3x32xbf16>
// CHECK: %[[ZERO:.*]] = stablehlo.constant dense<0> : tensor<3x32xi4>
// CHECK: %[[Q:.*]] = prec.quantize %[[W]], %[[SCALE]], %[[ZERO]] axis 0 block 32 rounding nearest_even range -8 to 7 : tensor<72x32xf32>, tensor<3x32xbf16>, tensor<3x32xi4> -> tensor<72x32xi4>
// CHECK: %[[R:.*]] = prec.dequantize %[[Q]], %[[SCALE]], %[[ZERO]] axis 0 block 32 : tensor<72x32xi4>, tensor<3x32xbf16>, tensor<3x32xi4> -> tensor<72x32xf32>
// CHECK: stablehlo.dot_general %{{.*}}, %[[R]],
// CHECK: stablehlo.dot_general %{{.*}}, %[[R]],
// BYTES: prec.fit_scale %{{.*}} axis 0 block 32 integer 127 : tensor<72x32xf32> -> tensor<3x32xbf16>
// BYTES: prec.quantize {{.*}} range -128 to 127 : {{.*}} -> tensor<72x32xi8>
// LONG: prec.fit_scale %{{.*}} axis 0 block 64 integer -8 : tensor<72x32xf32> -> tensor<2x32xbf16>
func.func @shared(%x: tensor<8x72xf32>, %y: tensor<2x3x72xf32>) -> (tensor<8x32xf32>, tensor<2x3x32xf32>) {
  %w = stablehlo.constant dense_resource<w> : tensor<72x32xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x72xf32>, tensor<72x32xf32>) -> tensor<8x32xf32>
  %1 = stablehlo.dot_general %y, %w, contracting_dims = [2] x [0] : (tensor<2x3x72xf32>, tensor<72x32xf32>) -> tensor<2x3x32xf32>
  return %0, %1 : tensor<8x32xf32>, tensor<2x3x32xf32>
}

// What is computed from a constant of the weight's size, and terms that are columns.
// CHECK-LABEL: func.func @computed
// CHECK: %[[P:.*]] = stablehlo.multiply
// CHECK-DAG: prec.fit_scale %[[P]] axis 1 block 32 integer -8 : tensor<32x72xf32> -> tensor<32x3xbf16>
// CHECK-DAG: prec.fit_scale %[[P]] axis 0 block 32 integer -8 : tensor<32x72xf32> -> tensor<1x72xbf16>
func.func @computed(%x: tensor<8x72xf32>, %y: tensor<8x32xf32>) -> (tensor<8x32xf32>, tensor<8x72xf32>) {
  %w = stablehlo.constant dense_resource<w> : tensor<72x32xf32>
  %s = stablehlo.constant dense_resource<s> : tensor<32xf32>
  %t = stablehlo.transpose %w, dims = [1, 0] : (tensor<72x32xf32>) -> tensor<32x72xf32>
  %b = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<32xf32>) -> tensor<32x72xf32>
  %p = stablehlo.multiply %t, %b : tensor<32x72xf32>
  %0 = stablehlo.dot_general %x, %p, contracting_dims = [1] x [1] : (tensor<8x72xf32>, tensor<32x72xf32>) -> tensor<8x32xf32>
  %1 = stablehlo.dot_general %y, %p, contracting_dims = [1] x [0] : (tensor<8x32xf32>, tensor<32x72xf32>) -> tensor<8x72xf32>
  return %0, %1 : tensor<8x32xf32>, tensor<8x72xf32>
}

// Other readers of a weight read it as it is.
// CHECK-LABEL: func.func @tied
// CHECK: %[[TABLE:.*]] = stablehlo.constant dense_resource<v>
// CHECK: prec.dequantize
// CHECK: stablehlo.slice %[[TABLE]]
func.func @tied(%x: tensor<1x64xf32>) -> (tensor<1x48xf32>, tensor<2x64xf32>) {
  %v = stablehlo.constant dense_resource<v> : tensor<48x64xf32>
  %0 = stablehlo.dot_general %x, %v, contracting_dims = [1] x [1] : (tensor<1x64xf32>, tensor<48x64xf32>) -> tensor<1x48xf32>
  %1 = stablehlo.slice %v [3:5, 0:64] : (tensor<48x64xf32>) -> tensor<2x64xf32>
  return %0, %1 : tensor<1x48xf32>, tensor<2x64xf32>
}

// What a device has of a weight is quantized by itself.
// CHECK-LABEL: func.func @part
// CHECK: %[[PART:.*]] = dist.part
// CHECK: prec.fit_scale %[[PART]] axis 1 block 32 integer -8 : tensor<48x32xf32> -> tensor<48x1xbf16>
func.func @part(%x: tensor<1x32xf32>) -> tensor<1x48xf32> {
  %v = stablehlo.constant dense_resource<v> : tensor<48x64xf32>
  %p = dist.part %v cuts [1, 2, 1] : tensor<48x64xf32> -> tensor<48x32xf32>
  %0 = stablehlo.dot_general %x, %p, contracting_dims = [1] x [1] : (tensor<1x32xf32>, tensor<48x32xf32>) -> tensor<1x48xf32>
  return %0 : tensor<1x48xf32>
}

// Words of 4 bits have eight terms; bytes stand alone.
// CHECK-LABEL: func.func @odd
// CHECK-NOT: prec.
// BYTES-LABEL: func.func @odd
// BYTES: prec.quantize {{.*}} -> tensor<33x48xi8>
func.func @odd(%x: tensor<8x33xf32>) -> tensor<8x48xf32> {
  %v = stablehlo.constant dense_resource<v> : tensor<48x64xf32>
  %c = stablehlo.slice %v [0:48, 0:33] : (tensor<48x64xf32>) -> tensor<48x33xf32>
  %w = stablehlo.transpose %c, dims = [1, 0] : (tensor<48x33xf32>) -> tensor<33x48xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x33xf32>, tensor<33x48xf32>) -> tensor<8x48xf32>
  return %0 : tensor<8x48xf32>
}

// What the model holds in 8 bits is not rounded again; minima, which are part of another product, are not counted.
// CHECK-LABEL: func.func @stored
// CHECK-NOT: prec.
// BYTES-LABEL: func.func @stored
// BYTES-NOT: prec.
func.func @stored(%x: tensor<8x64xf32>) -> (tensor<8x48xf32>, tensor<8x48xf32>) {
  %v = stablehlo.constant dense_resource<f8> : tensor<48x64xf8E4M3FN>
  %s = stablehlo.constant dense_resource<s48> : tensor<48xf32>
  %m = stablehlo.constant dense_resource<v> : tensor<48x64xf32>
  %f = stablehlo.convert %v : (tensor<48x64xf8E4M3FN>) -> tensor<48x64xf32>
  %b = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<48xf32>) -> tensor<48x64xf32>
  %w = stablehlo.multiply %f, %b : tensor<48x64xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<8x64xf32>, tensor<48x64xf32>) -> tensor<8x48xf32>
  %1 = stablehlo.dot_general %x, %m, contracting_dims = [1] x [1], precision = [HIGHEST, HIGHEST] {heddle.minima} : (tensor<8x64xf32>, tensor<48x64xf32>) -> tensor<8x48xf32>
  return %0, %1 : tensor<8x48xf32>, tensor<8x48xf32>
}

// Activations, repeated numbers, few columns or terms, batches, weights on the left, terms that do not follow each other, and what the model wants exact.
// CHECK-LABEL: func.func @stays
// CHECK-NOT: prec.
// BYTES-LABEL: func.func @stays
// BYTES-NOT: prec.
func.func @stays(%x: tensor<8x64xf32>, %y: tensor<64x32xf32>, %b: tensor<3x8x64xf32>, %n: tensor<8x24xf32>) -> (tensor<8x32xf32>, tensor<8x48xf32>, tensor<8x16xf32>, tensor<8x64xf32>, tensor<3x8x16xf32>, tensor<48x32xf32>, tensor<32x48xf32>, tensor<8x48xf32>) {
  %v = stablehlo.constant dense_resource<v> : tensor<48x64xf32>
  %u = stablehlo.constant dense_resource<u> : tensor<3x64x16xf32>
  %repeated = stablehlo.constant dense<0.5> : tensor<64x48xf32>
  %few = stablehlo.slice %v [0:16, 0:64] : (tensor<48x64xf32>) -> tensor<16x64xf32>
  %short = stablehlo.slice %v [0:24, 0:64] : (tensor<48x64xf32>) -> tensor<24x64xf32>
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
  %1 = stablehlo.dot_general %x, %repeated, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x48xf32>) -> tensor<8x48xf32>
  %2 = stablehlo.dot_general %x, %few, contracting_dims = [1] x [1] : (tensor<8x64xf32>, tensor<16x64xf32>) -> tensor<8x16xf32>
  %3 = stablehlo.dot_general %n, %short, contracting_dims = [1] x [0] : (tensor<8x24xf32>, tensor<24x64xf32>) -> tensor<8x64xf32>
  %4 = stablehlo.dot_general %b, %u, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x8x64xf32>, tensor<3x64x16xf32>) -> tensor<3x8x16xf32>
  %5 = stablehlo.dot_general %v, %y, contracting_dims = [1] x [0] : (tensor<48x64xf32>, tensor<64x32xf32>) -> tensor<48x32xf32>
  %6 = stablehlo.dot_general %y, %v, contracting_dims = [0] x [1] : (tensor<64x32xf32>, tensor<48x64xf32>) -> tensor<32x48xf32>
  %7 = stablehlo.dot_general %x, %v, contracting_dims = [1] x [1], precision = [HIGHEST, HIGHEST] : (tensor<8x64xf32>, tensor<48x64xf32>) -> tensor<8x48xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<8x32xf32>, tensor<8x48xf32>, tensor<8x16xf32>, tensor<8x64xf32>, tensor<3x8x16xf32>, tensor<48x32xf32>, tensor<32x48xf32>, tensor<8x48xf32>
}
