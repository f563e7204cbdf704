// RUN: heddle-opt --heddle-simplify %s | FileCheck %s

// CHECK-LABEL: func.func @known_shape
// CHECK-NEXT: stablehlo.reshape %{{.*}} : (tensor<2x3xf32>) -> tensor<6xf32>
// CHECK-NEXT: return
func.func @known_shape(%x: tensor<2x3xf32>) -> tensor<6xf32> {
  %0 = stablehlo.get_dimension_size %x, dim = 0 : (tensor<2x3xf32>) -> tensor<i32>
  %1 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x3xf32>) -> tensor<i32>
  %2 = stablehlo.multiply %0, %1 : tensor<i32>
  %3 = stablehlo.reshape %2 : (tensor<i32>) -> tensor<1xi32>
  %4 = stablehlo.dynamic_reshape %x, %3 : (tensor<2x3xf32>, tensor<1xi32>) -> tensor<6xf32>
  return %4 : tensor<6xf32>
}

// CHECK-LABEL: func.func @unknown_shape
// CHECK: stablehlo.dynamic_reshape
func.func @unknown_shape(%x: tensor<?xf32>, %s: tensor<2xi32>) -> tensor<?x?xf32> {
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @known_branch
// CHECK-NEXT: %[[A:.*]] = stablehlo.negate
// CHECK-NEXT: return %[[A]]
func.func @known_branch(%x: tensor<f32>) -> tensor<f32> {
  %false = stablehlo.constant dense<false> : tensor<i1>
  %0 = "stablehlo.if"(%false) ({
    %1 = stablehlo.abs %x : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }, {
    %1 = stablehlo.negate %x : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %0 : tensor<f32>
}

// An index outside means the last branch.
// CHECK-LABEL: func.func @known_case
// CHECK-NEXT: stablehlo.negate
func.func @known_case(%x: tensor<f32>) -> tensor<f32> {
  %index = stablehlo.constant dense<-1> : tensor<i32>
  %0 = "stablehlo.case"(%index) ({
    %1 = stablehlo.abs %x : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }, {
    %1 = stablehlo.negate %x : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<i32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: func.func @unknown_branch
// CHECK: stablehlo.if
func.func @unknown_branch(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.if"(%p) ({
    %1 = stablehlo.abs %x : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }, {
    %1 = stablehlo.negate %x : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: func.func @older_spellings
// CHECK-NEXT: stablehlo.dot_general %{{.*}}, %{{.*}}, contracting_dims = [1] x [0], precision = [HIGH, HIGH]
// CHECK-NEXT: stablehlo.broadcast_in_dim %{{.*}}, dims = [1, 2] : (tensor<2x4xf32>) -> tensor<5x2x4xf32>
// CHECK-NEXT: return
func.func @older_spellings(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<5x2x4xf32> {
  %0 = stablehlo.dot %a, %b, precision = [HIGH, HIGH] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %1 = stablehlo.broadcast %0, sizes = [5] : (tensor<2x4xf32>) -> tensor<5x2x4xf32>
  return %1 : tensor<5x2x4xf32>
}

// CHECK-LABEL: func.func @annotations
// CHECK-SAME: (%[[X:.*]]: tensor<2xf32>)
// CHECK-NEXT: return %[[X]]
func.func @annotations(%x: tensor<2xf32>) -> tensor<2xf32> {
  %true = stablehlo.constant dense<true> : tensor<i1>
  stablehlo.custom_call @shape_assertion(%true) {has_side_effect = true} : (tensor<i1>) -> ()
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{replicated}"} : (tensor<2xf32>) -> tensor<2xf32>
  %1 = stablehlo.optimization_barrier %0 : tensor<2xf32>
  %2 = stablehlo.tuple %1, %true : tuple<tensor<2xf32>, tensor<i1>>
  %3 = stablehlo.get_tuple_element %2[0] : (tuple<tensor<2xf32>, tensor<i1>>) -> tensor<2xf32>
  return %3 : tensor<2xf32>
}

// CHECK-LABEL: func.func @other_custom_call
// CHECK: stablehlo.custom_call @compute
func.func @other_custom_call(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @compute(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: func.func @dynamic_conv
func.func @dynamic_conv(%x: tensor<1x4x1xf32>, %w: tensor<3x1x1xf32>) -> tensor<1x5x1xf32> {
  // CHECK: stablehlo.convolution(%{{.*}}, %{{.*}}) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = {{\[\[}}1, 2]]}
  // CHECK-NOT: dynamic_conv
  %amounts = stablehlo.constant dense<[[1, 2]]> : tensor<1x2xi32>
  %0 = "stablehlo.dynamic_conv"(%x, %w, %amounts) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x4x1xf32>, tensor<3x1x1xf32>, tensor<1x2xi32>) -> tensor<1x5x1xf32>
  return %0 : tensor<1x5x1xf32>
}
