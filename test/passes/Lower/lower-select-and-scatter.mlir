// RUN: heddle-opt %s --heddle-lower-graph | FileCheck %s

// First the choice of each window, then for each element the windows around it: 2 by 1 of them here.
// CHECK-DAG: #[[WINDOW:.*]] = affine_map<(d0, d1, d2, d3) -> (d0 * 2 + d2, d1 + d3)>
// CHECK-LABEL: func @max_pool_gradient
// CHECK-SAME: %[[X:.*]]: tensor<7x6xf32>, %[[G:.*]]: tensor<3x5xf32>
func.func @max_pool_gradient(%x: tensor<7x6xf32>, %g: tensor<3x5xf32>) -> tensor<7x6xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  // CHECK: tensor.empty() : tensor<3x2xi8>
  // CHECK: %[[C:.*]]:2 = linalg.generic {indexing_maps = [#{{.*}}, #[[WINDOW]],
  // CHECK-SAME: iterator_types = ["parallel", "parallel", "reduction", "reduction"]
  // CHECK: arith.cmpf oge
  // CHECK: tensor.empty() : tensor<2x2xi8>
  // CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction", "reduction"]
  // CHECK: tensor.extract %[[C]]#1
  // CHECK: tensor.extract %[[G]]
  // CHECK: arith.addf
  %0 = "stablehlo.select_and_scatter"(%x, %g, %zero) <{window_dimensions = array<i64: 3, 2>, window_strides = array<i64: 2, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<7x6xf32>, tensor<3x5xf32>, tensor<f32>) -> tensor<7x6xf32>
  return %0 : tensor<7x6xf32>
}
