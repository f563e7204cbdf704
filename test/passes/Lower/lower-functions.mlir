// RUN: heddle-opt %s --heddle-lower-graph --split-input-file | FileCheck %s

// CHECK-LABEL: func @map
func.func @map(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  // CHECK: linalg.generic
  // CHECK: %[[S:.*]] = arith.addf %[[A:.*]], %{{.*}} : f32
  // CHECK: arith.mulf %[[S]], %[[A]] : f32
  %0 = "stablehlo.map"(%x, %y) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    %p = stablehlo.multiply %s, %a : tensor<f32>
    stablehlo.return %p : tensor<f32>
  }) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// The last dimension counts the parts of an element.
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[LOW:.*]] = affine_map<(d0) -> (d0, 0)>
// CHECK-DAG: #[[HIGH:.*]] = affine_map<(d0) -> (d0, 1)>
// CHECK-LABEL: func @bits
func.func @bits(%x: tensor<3xf64>, %y: tensor<3x2xf32>) -> (tensor<3x2xui32>, tensor<3xf64>) {
  // CHECK: linalg.generic {indexing_maps = [#[[ROW]],
  // CHECK: linalg.index 1
  // CHECK: arith.shrui
  // CHECK: arith.trunci %{{.*}} : i64 to i32
  %0 = stablehlo.bitcast_convert %x : (tensor<3xf64>) -> tensor<3x2xui32>
  // CHECK: linalg.generic {indexing_maps = [#[[LOW]], #[[HIGH]],
  // CHECK: arith.ori
  // CHECK: arith.bitcast %{{.*}} : i64 to f64
  %1 = stablehlo.bitcast_convert %y : (tensor<3x2xf32>) -> tensor<3xf64>
  return %0, %1 : tensor<3x2xui32>, tensor<3xf64>
}

// -----

// A sum of powers, then what remains of the series.
// CHECK-LABEL: func @zeta
func.func @zeta(%s: tensor<5xf32>, %q: tensor<5xf32>) -> tensor<5xf32> {
  // CHECK: %[[K:.*]] = tensor.empty() : tensor<24xi8>
  // CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins(%{{.*}}, %{{.*}}, %[[K]]
  // CHECK: math.powf
  // CHECK: linalg.generic {{.*}}iterator_types = ["parallel"]
  %0 = chlo.zeta %s, %q : tensor<5xf32>, tensor<5xf32> -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

// A constant that a pass moved out of the region is still one.
// CHECK-LABEL: func @captured_constant
func.func @captured_constant(%x: tensor<5xf32>) -> tensor<5xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  // CHECK: kernel.sort
  // CHECK: %[[Z:.*]] = arith.constant 0.000000e+00 : f32
  // CHECK: arith.maximumf %{{.*}}, %[[Z]]
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %zero : tensor<f32>
    %less = stablehlo.compare LT, %m, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
