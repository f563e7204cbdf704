// RUN: heddle-opt %s --split-input-file --heddle-expand-quantization | FileCheck %s

#scalar = affine_map<() -> ()>

// Differences are exact in f32; a constant zero point is in the payload, a scale for each column is read beside the numbers.
// CHECK-DAG: #[[ROWS:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[COLUMN:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func.func @narrow
func.func @narrow(%q: tensor<2x3xi8>, %s: tensor<3xf32>) -> tensor<2x3xf32> {
  %e = tensor.empty() : tensor<3xi8>
  %z = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<3xi8>) {
  ^bb0(%out: i8):
    %c = arith.constant -128 : i8
    linalg.yield %c : i8
  } -> tensor<3xi8>
  // CHECK: %[[Q:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<2x3xi8>)
  // CHECK: arith.uitofp
  // CHECK: %[[D:.*]] = linalg.generic {{.*}} ins(%[[Q]] : tensor<2x3xf32>)
  // CHECK: arith.constant 1.280000e+02 : f32
  // CHECK: arith.subf
  // CHECK: linalg.generic {indexing_maps = [#[[ROWS]], #[[COLUMN]], #[[ROWS]]]{{.*}} ins(%[[D]], %arg1
  // CHECK: arith.mulf
  // CHECK-NOT: prec.
  %y = prec.dequantize %q, %s, %z axis 1 {storage_type = ui8} : tensor<2x3xi8>, tensor<3xf32>, tensor<3xi8> -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

// Sixteen digits times the eleven of a half are more than f32 has, and would be rounded twice; eight times eleven are not.
// CHECK-LABEL: func.func @once
func.func @once(%q: tensor<4xi16>, %b: tensor<4xi8>, %s: tensor<f16>, %t: tensor<f32>, %z: tensor<i16>, %y: tensor<i8>) -> (tensor<4xf16>, tensor<4xf16>, tensor<4xbf16>) {
  // CHECK: arith.mulf %{{.*}}, %{{.*}} : f64
  // CHECK: arith.truncf %{{.*}} : f64 to f16
  %0 = prec.dequantize %q, %s, %z : tensor<4xi16>, tensor<f16>, tensor<i16> -> tensor<4xf16>
  // CHECK: arith.mulf %{{.*}}, %{{.*}} : f32
  // CHECK: arith.truncf %{{.*}} : f32 to f16
  %1 = prec.dequantize %b, %s, %y : tensor<4xi8>, tensor<f16>, tensor<i8> -> tensor<4xf16>
  // CHECK: arith.mulf %{{.*}}, %{{.*}} : f64
  %2 = prec.dequantize %b, %t, %y : tensor<4xi8>, tensor<f32>, tensor<i8> -> tensor<4xbf16>
  return %0, %1, %2 : tensor<4xf16>, tensor<4xf16>, tensor<4xbf16>
}

// -----

// The quotient is one of f32; integers of 32 bits are exact in f64 alone.
// CHECK-LABEL: func.func @wide
func.func @wide(%x: tensor<4xf32>, %s: tensor<f32>, %z: tensor<i32>) -> tensor<4xi32> {
  // CHECK: linalg.generic {{.*}} ins(%arg0, %arg1 :
  // CHECK: %[[R:.*]] = arith.divf %{{.*}}, %{{.*}} : f32
  // CHECK: %[[W:.*]] = arith.extf %[[R]] : f32 to f64
  // CHECK: math.roundeven %[[W]] : f64
  // CHECK: linalg.generic {{.*}} ins(%{{.*}}, %arg2 :
  // CHECK: arith.sitofp %{{.*}} : i32 to f64
  // CHECK: arith.addf
  // CHECK: linalg.generic
  // CHECK: arith.fptosi %{{.*}} : f64 to i32
  %q = prec.quantize %x, %s, %z rounding nearest_even range -2147483648 to 2147483647 : tensor<4xf32>, tensor<f32>, tensor<i32> -> tensor<4xi32>
  return %q : tensor<4xi32>
}

// -----

// What has just been quantized is a number already.
// CHECK-LABEL: func.func @again
// A quotient is brought into the range once, where the zero point is added, and is one of its integers when it becomes one.
// CHECK-NOT: arith.minimumf
// CHECK: arith.addf
// CHECK: arith.constant -1.270000e+02 : f32
// CHECK: arith.constant 1.270000e+02 : f32
func.func @again(%x: tensor<4xf32>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<4xf32> {
  // CHECK: arith.cmpf une
  // CHECK: %[[N:.*]] = arith.select
  // CHECK-NEXT: linalg.yield %[[N]] : f32
  // CHECK-NEXT: } -> tensor<4xf32>
  // CHECK: ^bb0
  // CHECK-NEXT: arith.fptosi
  // CHECK-NOT: i8 to f32
  // CHECK: linalg.generic {{.*}} ins(%{{.*}}, %arg2 : tensor<4xf32>, tensor<i8>)
  // CHECK: arith.subf
  %q = prec.quantize %x, %s, %z rounding toward_zero range -127 to 127 : tensor<4xf32>, tensor<f32>, tensor<i8> -> tensor<4xi8>
  %y = prec.dequantize %q, %s, %z : tensor<4xi8>, tensor<f32>, tensor<i8> -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// Where NaN becomes the least of the range, the comparison with that does both.
// CHECK-LABEL: func.func @without_signs
func.func @without_signs(%x: tensor<4xf32>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<4xi8> {
  // CHECK: %[[SUM:.*]] = arith.addf
  // CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
  // CHECK: %[[ABOVE:.*]] = arith.cmpf ogt, %[[SUM]], %[[ZERO]] : f32
  // CHECK: %[[LEAST:.*]] = arith.select %[[ABOVE]], %[[SUM]], %[[ZERO]] : f32
  // CHECK: %[[MOST:.*]] = arith.constant 2.550000e+02 : f32
  // CHECK: %[[BOTH:.*]] = arith.minimumf %[[LEAST]], %[[MOST]] : f32
  // CHECK-NEXT: linalg.yield %[[BOTH]] : f32
  %q = prec.quantize %x, %s, %z rounding nearest_even range 0 to 255 {storage_type = ui8} : tensor<4xf32>, tensor<f32>, tensor<i8> -> tensor<4xi8>
  return %q : tensor<4xi8>
}

// -----

// What is added to a later product is read in the kernel of that: it becomes an integer, which is narrower in memory.
// CHECK-LABEL: func.func @summand
func.func @summand(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<4x4xf32> {
  // CHECK: arith.fptosi
  // CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<4x4xi8>) outs(%{{.*}} : tensor<4x4xf32>)
  // CHECK: kernel.contract %arg1
  %0 = kernel.contract %a, %a {extents = array<i64: 4, 4, 4>, indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %q = prec.quantize %0, %s, %z rounding nearest_even range -127 to 127 : tensor<4x4xf32>, tensor<f32>, tensor<i8> -> tensor<4x4xi8>
  %d = prec.dequantize %q, %s, %z : tensor<4x4xi8>, tensor<f32>, tensor<i8> -> tensor<4x4xf32>
  %1 = kernel.contract %b, %b {extents = array<i64: 4, 4, 4>, indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%1, %d : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %sum = arith.addf %x, %y : f32
    linalg.yield %sum : f32
  } -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// -----

// Integers that something reads as they are lie in memory, and whoever else wants their numbers makes them of those.
// CHECK-LABEL: func.func @shared
func.func @shared(%x: tensor<4xf32>, %s: tensor<f32>, %z: tensor<i8>) -> (tensor<4xi8>, tensor<4xf32>) {
  // CHECK: %[[BYTES:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<4xi8>)
  // CHECK: arith.fptosi
  // CHECK: linalg.generic {{.*}} ins(%[[BYTES]] : tensor<4xi8>) outs(%{{.*}} : tensor<4xf32>)
  // CHECK: arith.sitofp %{{.*}} : i8 to f32
  // CHECK: return %[[BYTES]]
  %q = prec.quantize %x, %s, %z rounding nearest_even range -127 to 127 : tensor<4xf32>, tensor<f32>, tensor<i8> -> tensor<4xi8>
  %y = prec.dequantize %q, %s, %z : tensor<4xi8>, tensor<f32>, tensor<i8> -> tensor<4xf32>
  return %q, %y : tensor<4xi8>, tensor<4xf32>
}

// -----

// Factors of sums of integers are computed in integers; a zero point of zero and a scale of one are not.
// CHECK-LABEL: func.func @factors
func.func @factors(%q: tensor<2x3xi8>, %z: tensor<3xi8>) -> (tensor<2x3xi32>, tensor<2x3xi32>) {
  %e = tensor.empty() : tensor<3xi32>
  %ones = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<3xi32>) {
  ^bb0(%out: i32):
    %c = arith.constant 1 : i32
    linalg.yield %c : i32
  } -> tensor<3xi32>
  %b = tensor.empty() : tensor<3xi8>
  %zeros = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%b : tensor<3xi8>) {
  ^bb0(%out: i8):
    %c = arith.constant 0 : i8
    linalg.yield %c : i8
  } -> tensor<3xi8>
  // CHECK: linalg.generic {{.*}} ins(%arg0, %arg1 : tensor<2x3xi8>, tensor<3xi8>)
  // CHECK: arith.extui %{{.*}} : i8 to i32
  // CHECK: arith.extui %{{.*}} : i8 to i32
  // CHECK-NEXT: %[[D:.*]] = arith.subi
  // CHECK-NEXT: linalg.yield %[[D]] : i32
  %0 = prec.dequantize %q, %ones, %z axis 1 {storage_type = ui8} : tensor<2x3xi8>, tensor<3xi32>, tensor<3xi8> -> tensor<2x3xi32>
  // CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<2x3xi8>)
  // CHECK: %[[X:.*]] = arith.extsi %{{.*}} : i8 to i32
  // CHECK-NEXT: linalg.yield %[[X]] : i32
  %1 = prec.dequantize %q, %ones, %zeros axis 1 : tensor<2x3xi8>, tensor<3xi32>, tensor<3xi8> -> tensor<2x3xi32>
  return %0, %1 : tensor<2x3xi32>, tensor<2x3xi32>
}

// -----

// A scale is repeated for each element of its block, and read where the element is, which the last block lacks one of.
// CHECK-DAG: #[[SCALES:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[PLACE:.*]] = affine_map<(d0, d1) -> (d0 * 3 + d1)>
// CHECK-LABEL: func.func @blocks
func.func @blocks(%x: tensor<5x3xf32>, %s: tensor<2x3xf32>, %z: tensor<2x3xi8>) -> tensor<5x3xi8> {
  // CHECK: %[[WIDE:.*]] = linalg.generic {indexing_maps = [#[[SCALES]], {{.*}} ins(%arg1 : tensor<2x3xf32>) outs(%{{.*}} : tensor<2x3x3xf32>)
  // CHECK: %[[ROW:.*]] = tensor.collapse_shape %[[WIDE]] {{\[\[}}0, 1, 2]] : tensor<2x3x3xf32> into tensor<18xf32>
  // CHECK: linalg.generic {indexing_maps = [{{.*}}, #[[PLACE]], {{.*}} ins(%arg0, %[[ROW]] : tensor<5x3xf32>, tensor<18xf32>)
  // CHECK: arith.divf
  // CHECK-NOT: prec.
  %q = prec.quantize %x, %s, %z axis 0 block 3 rounding nearest_even range -128 to 127 : tensor<5x3xf32>, tensor<2x3xf32>, tensor<2x3xi8> -> tensor<5x3xi8>
  return %q : tensor<5x3xi8>
}
