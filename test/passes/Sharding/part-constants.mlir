// RUN: heddle-opt %s --split-input-file --heddle-sharding-partition --heddle-sharding-part-constants | FileCheck %s

// What is cut of a constant by two axes, one behind the other, is two parts of parts.
sdy.mesh @mesh = <["data"=2, "model"=4]>
// CHECK-LABEL: func.func @cut
func.func @cut() -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>}) {
  // CHECK: %[[C:.*]] = stablehlo.constant dense<{{\[\[}}0.0
  // CHECK: %[[ROWS:.*]] = dist.part %[[C]] cuts [0, 2, 4] : tensor<4x8xf32> -> tensor<2x8xf32>
  // CHECK: %[[PART:.*]] = dist.part %[[ROWS]] cuts [1, 4, 1] : tensor<2x8xf32> -> tensor<2x2xf32>
  // CHECK-NOT: heddle.cuts
  // CHECK: return %[[PART]]
  %0 = stablehlo.constant dense<[[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0]]> : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// Parts of unequal size are of a constant that is padded.
sdy.mesh @mesh = <["x"=2]>
// CHECK-LABEL: func.func @uneven
func.func @uneven() -> (tensor<5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  // CHECK: %[[P:.*]] = stablehlo.pad {{.*}} -> tensor<6xf32>
  // CHECK: dist.part %[[P]] cuts [0, 2, 1] : tensor<6xf32> -> tensor<3xf32>
  %0 = stablehlo.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0]> : tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

// What is no constant is sliced by calls, and so is what weights do not hold.
sdy.mesh @mesh = <["x"=2]>
// CHECK-LABEL: func.func @sliced
func.func @sliced(%a: tensor<4xf32>) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<2xcomplex<f32>> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  // CHECK-NOT: dist.part
  // CHECK-DAG: stablehlo.dynamic_slice %arg0
  // CHECK-DAG: stablehlo.dynamic_slice {{.*}} (tensor<2xcomplex<f32>>
  // CHECK-NOT: dist.part
  // CHECK-NOT: heddle.cuts
  // CHECK: return
  %0 = stablehlo.constant dense<[(0.0, 1.0), (2.0, 3.0)]> : tensor<2xcomplex<f32>>
  return %a, %0 : tensor<4xf32>, tensor<2xcomplex<f32>>
}

// -----

// A pad that grows much, or with a number that only calls know, is no constant.
sdy.mesh @mesh = <["x"=2]>
// CHECK-LABEL: func.func @grown
func.func @grown(%a: tensor<f32>) -> (tensor<40xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  // CHECK-NOT: dist.part
  // CHECK: return
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %c = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %0 = stablehlo.pad %c, %zero, low = [0], high = [37], interior = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<40xf32>
  %1 = stablehlo.pad %c, %a, low = [0], high = [1], interior = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
  return %0, %1 : tensor<40xf32>, tensor<4xf32>
}
