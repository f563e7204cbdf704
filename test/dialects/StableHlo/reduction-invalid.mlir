// RUN: heddle-opt %s --split-input-file --verify-diagnostics

func.func @reduce_c1(%x: tensor<2x3xf32>, %y: tensor<3x2xf32>, %z: tensor<f32>) {
  // expected-error @below {{inputs have different shapes: 'tensor<2x3xf32>' and 'tensor<3x2xf32>'}}
  %0:2 = stablehlo.reduce(%x init: %z), (%y init: %z) across dimensions = [0, 1] : (tensor<2x3xf32>, tensor<3x2xf32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<f32>, %d: tensor<f32>) {
    stablehlo.return %a, %c : tensor<f32>, tensor<f32>
  }
  return
}

// -----

func.func @reduce_c2(%x: tensor<2x3xf32>, %z: tensor<f64>) {
  // expected-error @below {{initial value of type 'tensor<f64>' is not a scalar of the type of 'tensor<2x3xf32>'}}
  %0 = stablehlo.reduce(%x init: %z) across dimensions = [1] : (tensor<2x3xf32>, tensor<f64>) -> tensor<2xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    stablehlo.return %a : tensor<f32>
  }
  return
}

// -----

func.func @reduce_c4(%x: tensor<2x3xf32>, %z: tensor<f32>) {
  // expected-error @below {{2 is not a dimension of 'tensor<2x3xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [2] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_c6(%x: tensor<2x3xf32>, %z: tensor<f32>) {
  // expected-error @below {{region takes 1 arguments, 2 wanted}}
  %0 = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_narrower(%x: tensor<2x3xf32>, %z: tensor<f32>) {
  // expected-error @below {{values of type 'f32' cannot be accumulated in 'f16'}}
  %0 = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f16>, %b: tensor<f16>):
    stablehlo.return %a : tensor<f16>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf16>
  return
}

// -----

func.func @reduce_of_unknown(%x: tensor<2x3xf32>, %z: tensor<f32>) {
  // expected-error @below {{'func.call' is not a StableHLO operation}}
  %0 = stablehlo.reduce(%x init: %z) applies func.call across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @window_c4(%x: tensor<4xf32>, %z: tensor<f32>) {
  // expected-error @below {{window of 2 dimensions over 1}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 2, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @select_and_scatter_source(%x: tensor<4xf32>, %s: tensor<3xf32>, %z: tensor<f32>) {
  // expected-error @below {{source of type 'tensor<3xf32>' does not have one value per window of 'tensor<4xf32>'}}
  %0 = "stablehlo.select_and_scatter"(%x, %s, %z) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>, tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @map_c3(%x: tensor<2x3xf32>) {
  // expected-error @below {{dimensions must be all 2 dimensions in order}}
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @batch_norm_c1(%x: tensor<2x3xf32>, %v: tensor<3xf32>) {
  // expected-error @below {{feature_index 2 is not a dimension of 'tensor<2x3xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "stablehlo.batch_norm_inference"(%x, %v, %v, %v, %v) <{epsilon = 0.0 : f32, feature_index = 2 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @batch_norm_vector(%x: tensor<2x3xf32>, %v: tensor<2xf32>) {
  // expected-error @below {{a vector of type 'tensor<2xf32>' does not fit the features of 'tensor<2x3xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "stablehlo.batch_norm_inference"(%x, %v, %v, %v, %v) <{epsilon = 0.0 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}
