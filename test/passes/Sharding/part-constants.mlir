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

// -----

// What is dequantized by blocks is cut as integers, scales and zero points, behind a transpose, too; by terms where no block is cut.
sdy.mesh @mesh = <["x"=2]>
// CHECK-LABEL: func.func @dequantized
func.func @dequantized() -> (tensor<4x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<64x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // CHECK-DAG: %[[Q:.*]] = stablehlo.constant dense_resource<q> : tensor<4x64xi8>
  // CHECK-DAG: %[[S:.*]] = stablehlo.constant dense<{{\[\[}}1.0
  // CHECK: %[[QPART:.*]] = dist.part %[[Q]] cuts [0, 2, 1] : tensor<4x64xi8> -> tensor<2x64xi8>
  // CHECK: %[[SPART:.*]] = dist.part %[[S]] cuts [0, 2, 1] : tensor<4x2xf32> -> tensor<2x2xf32>
  // CHECK: %[[Z:.*]] = stablehlo.constant dense<0> : tensor<2x2xi8>
  // CHECK: %[[ROWS:.*]] = prec.dequantize %[[QPART]], %[[SPART]], %[[Z]] axis 1 block 32 : {{.*}} -> tensor<2x64xf32>
  // CHECK: prec.dequantize {{.*}} axis 1 block 32 : tensor<4x32xi8>, tensor<4x1xf32>, tensor<4x1xi8> -> tensor<4x32xf32>
  // CHECK: %[[TERMS:.*]] = stablehlo.transpose {{.*}} -> tensor<32x4xf32>
  // CHECK-NOT: heddle.cuts
  // CHECK: return %[[ROWS]], %[[TERMS]]
  %q = stablehlo.constant dense_resource<q> : tensor<4x64xi8>
  %s = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>
  %z = stablehlo.constant dense<0> : tensor<4x2xi8>
  %0 = prec.dequantize %q, %s, %z axis 1 block 32 : tensor<4x64xi8>, tensor<4x2xf32>, tensor<4x2xi8> -> tensor<4x64xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<4x64xf32>) -> tensor<64x4xf32>
  return %0, %1 : tensor<4x64xf32>, tensor<64x4xf32>
}

// -----

// Scales of which devices have parts already are not gathered and cut again.
sdy.mesh @mesh = <["x"=2]>
// CHECK-LABEL: func.func @gathered
func.func @gathered() -> (tensor<4x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // CHECK: %[[SPART:.*]] = dist.part %{{.*}} cuts [0, 2, 1] : tensor<4x2xf16> -> tensor<2x2xf16>
  // CHECK: %[[SCALES:.*]] = stablehlo.convert %[[SPART]]
  // CHECK: prec.dequantize %{{.*}}, %[[SCALES]], %{{.*}} axis 1 block 32 : tensor<2x64xi8>, tensor<2x2xf32>, tensor<2x2xi8> -> tensor<2x64xf32>
  // CHECK-NOT: heddle.cuts
  // CHECK: return
  %q = stablehlo.constant dense_resource<q> : tensor<4x64xi8>
  %h = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf16>
  %c = sdy.sharding_constraint %h <@mesh, [{"x"}, {}]> : tensor<4x2xf16>
  %s = stablehlo.convert %c {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<4x2xf16>) -> tensor<4x2xf32>
  %z = stablehlo.constant dense<0> : tensor<4x2xi8>
  %0 = prec.dequantize %q, %s, %z axis 1 block 32 : tensor<4x64xi8>, tensor<4x2xf32>, tensor<4x2xi8> -> tensor<4x64xf32>
  return %0 : tensor<4x64xf32>
}

// -----

// Half a block is none, and what calls quantize is no weight.
sdy.mesh @mesh = <["x"=4]>
// CHECK-LABEL: func.func @computed
func.func @computed(%a: tensor<4x64xi8>) -> (tensor<4x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, tensor<4x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // CHECK-NOT: dist.part
  // CHECK: stablehlo.dynamic_slice
  // CHECK-NOT: heddle.cuts
  // CHECK: return
  %q = stablehlo.constant dense_resource<q> : tensor<4x64xi8>
  %s = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>
  %z = stablehlo.constant dense<0> : tensor<4x2xi8>
  %0 = prec.dequantize %q, %s, %z axis 1 block 32 : tensor<4x64xi8>, tensor<4x2xf32>, tensor<4x2xi8> -> tensor<4x64xf32>
  %1 = prec.dequantize %a, %s, %z axis 1 block 32 : tensor<4x64xi8>, tensor<4x2xf32>, tensor<4x2xi8> -> tensor<4x64xf32>
  return %0, %1 : tensor<4x64xf32>, tensor<4x64xf32>
}
