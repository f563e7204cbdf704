// RUN: heddle-opt %s --heddle-lower-graph --split-input-file | FileCheck %s

// Bits are computed where they are used; the state counts the blocks: 2 of ThreeFry for 3 words.
// CHECK-LABEL: func @threefry
// CHECK-SAME: %[[S:.*]]: tensor<2xi64>
func.func @threefry(%state: tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>) {
  // CHECK: linalg.generic {{.*}}iterator_types = ["parallel"]} outs(%{{.*}} : tensor<3xi32>)
  // CHECK: tensor.extract %[[S]]
  // CHECK: arith.constant 466688986 : i32
  // CHECK: linalg.generic {{.*}}outs(%{{.*}} : tensor<2xi64>)
  // CHECK: %[[N:.*]] = arith.constant 2 : i64
  // CHECK: arith.addi %{{.*}}, %[[N]] : i64
  %0, %1 = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>)
  return %0, %1 : tensor<2xui64>, tensor<3xui32>
}

// -----

// CHECK-LABEL: func @philox
func.func @philox(%state: tensor<3xui64>) -> tensor<5xf16> {
  // CHECK: arith.constant 3528531795 : i64
  // CHECK: arith.trunci %{{.*}} : i32 to i16
  // CHECK: arith.bitcast %{{.*}} : i16 to f16
  %0, %1 = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<5xf16>)
  return %1 : tensor<5xf16>
}
