// RUN: heddle-opt %s --heddle-instrument-precision | FileCheck %s
// RUN: heddle-opt %s --heddle-instrument-precision=formats=bf16,f16 | FileCheck %s --check-prefix=BOTH
// RUN: heddle-opt %s --heddle-instrument-precision=formats=w8a16,w4a16,bf16 | FileCheck %s --check-prefix=BITS
// RUN: not heddle-opt %s --heddle-instrument-precision=formats=tf32 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: a format of factors is 'tf32'; bf16, f16, w8a16, w4a16 or w8a8 is wanted

// An input has a number for each product that may be rounded: the second one has too few terms, the third wants exact factors.
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: tensor<8x64xf32>, %[[W:.*]]: tensor<64x64xf32>, %[[R:.*]]: tensor<2xi32> {heddle.name = "heddle.rounding"})
// BOTH-LABEL: func.func @main
func.func @main(%x: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x8xf32> {
  // CHECK: %[[NUMBER:.*]] = stablehlo.slice %[[R]] [0:1]
  // CHECK: %[[CHOSEN:.*]] = stablehlo.reshape %[[NUMBER]] : (tensor<1xi32>) -> tensor<i32>
  // CHECK: %[[ONE:.*]] = stablehlo.constant dense<1> : tensor<i32>
  // CHECK: %[[IS:.*]] = stablehlo.compare EQ, %[[CHOSEN]], %[[ONE]]
  // CHECK: %[[A:.*]] = stablehlo.select %[[IS]], %[[X]], %{{.*}} : tensor<i1>, tensor<8x64xf32>
  // CHECK: %[[B:.*]] = stablehlo.convert %[[A]] : (tensor<8x64xf32>) -> tensor<8x64xbf16>
  // CHECK: %[[C:.*]] = stablehlo.convert %[[B]] : (tensor<8x64xbf16>) -> tensor<8x64xf32>
  // CHECK: %[[LEFT:.*]] = stablehlo.select %[[IS]], %[[C]], %[[X]] : tensor<i1>, tensor<8x64xf32>
  // CHECK: %[[RIGHT:.*]] = stablehlo.select %[[IS]], %{{.*}}, %[[W]] : tensor<i1>, tensor<64x64xf32>
  // CHECK: %[[Y:.*]] = stablehlo.dot_general %[[LEFT]], %[[RIGHT]]
  // BOTH: stablehlo.convert %{{.*}} -> tensor<8x64xbf16>
  // BOTH: stablehlo.convert %{{.*}} -> tensor<8x64xf16>
  // BOTH: stablehlo.dot_general
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  %a = stablehlo.slice %y [0:8, 0:4] : (tensor<8x64xf32>) -> tensor<8x4xf32>
  // CHECK: %[[FEW:.*]] = stablehlo.slice %[[Y]]
  // CHECK: stablehlo.dot_general %[[FEW]], %[[FEW]]
  %few = stablehlo.dot_general %a, %a, contracting_dims = [1] x [1] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  // CHECK: stablehlo.dot_general %[[Y]], %[[Y]], {{.*}}HIGHEST
  %exact = stablehlo.dot_general %y, %y, contracting_dims = [1] x [1], precision = [HIGHEST, HIGHEST] : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<8x8xf32>
  // A value that is multiplied by itself is rounded once.
  // CHECK: stablehlo.slice %[[R]] [1:2]
  // CHECK: %[[SQUARED:.*]] = stablehlo.select %{{.*}}, %{{.*}}, %[[Y]] : tensor<i1>, tensor<8x64xf32>
  // CHECK-NEXT: stablehlo.dot_general %[[SQUARED]], %[[SQUARED]]
  %last = stablehlo.dot_general %y, %y, contracting_dims = [1] x [1] : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<8x8xf32>
  %0 = stablehlo.add %few, %exact : tensor<8x8xf32>
  %1 = stablehlo.add %0, %last : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// No factor here is a weight, so that none is rounded to integers.
// BITS-LABEL: func.func @main
// BITS-NOT: prec.
