// RUN: heddle-opt %s --split-input-file --verify-diagnostics

func.func @dot_c1(%a: tensor<5x2x3xf32>, %b: tensor<3x4xf32>) {
  // expected-error @below {{lhs and rhs have different numbers of batching dimensions}}
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [], contracting_dims = [2] x [0] : (tensor<5x2x3xf32>, tensor<3x4xf32>) -> tensor<5x2x4xf32>
  return
}

// -----

func.func @dot_c2(%a: tensor<5x2x3xf32>, %b: tensor<3x4xf32>) {
  // expected-error @below {{lhs and rhs have different numbers of contracting dimensions}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1, 2] x [0] : (tensor<5x2x3xf32>, tensor<3x4xf32>) -> tensor<5x4xf32>
  return
}

// -----

func.func @dot_c3(%a: tensor<5x2x3xf32>, %b: tensor<5x3x4xf32>) {
  // expected-error @below {{lhs dimensions holds 0 twice}}
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [0] x [1] : (tensor<5x2x3xf32>, tensor<5x3x4xf32>) -> tensor<5x2x4xf32>
  return
}

// -----

func.func @dot_c8(%a: tensor<5x2x3xf32>, %b: tensor<5x3x4xf32>) {
  // expected-error @below {{rhs dimensions holds 3, which is not a dimension of rank 3}}
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [3] : (tensor<5x2x3xf32>, tensor<5x3x4xf32>) -> tensor<5x2x4xf32>
  return
}

// -----

func.func @dot_c10(%a: tensor<2x3xf32>, %b: tensor<4x5xf32>) {
  // expected-error @below {{lhs dimension 1 of size 3 does not go with rhs dimension 0 of size 4}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @dot_c11(%a: tensor<2x3xf32>, %b: tensor<3x5xf32>) {
  // expected-error @below {{precision_config has 1 entries, 2 wanted}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [HIGH] : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @dot_c12(%a: tensor<2x3xf32>, %b: tensor<3x5xf32>) {
  // expected-error @below {{result has type 'tensor<5x2xf32>', 'tensor<2x5xf32>' follows from the operands}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<5x2xf32>
  return
}

// -----

func.func @dot_c13(%a: tensor<2x3xf32>, %b: tensor<3x5xf64>) {
  // expected-error @below {{multiplies 'f32' by 'f64': operands have one element type, unless an algorithm names what is multiplied or the right one is quantized}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x5xf64>) -> tensor<2x5xf32>
  return
}

// -----

func.func @legacy_dot(%a: tensor<2x3x4xf32>, %b: tensor<4xf32>) {
  // expected-error @below {{multiplies 'tensor<2x3x4xf32>' by 'tensor<4xf32>'; vectors and matrices are wanted}}
  %0 = stablehlo.dot %a, %b : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @conv_c1(%x: tensor<1x8x8x3xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error @below {{ranks of 'tensor<1x8x8x3xf32>', 'tensor<3x3x4xf32>' and 'tensor<1x6x6x4xf32>' differ}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x4xf32>) -> tensor<1x6x6x4xf32>
  return
}

// -----

func.func @conv_c2(%x: tensor<1x8x8x3xf32>, %w: tensor<3x3x3x4xf32>) {
  // expected-error @below {{a window attribute has 1 entries for 2 spatial dimensions}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32>
  return
}

// -----

func.func @conv_c3(%x: tensor<1x8x8x3xf32>, %w: tensor<3x3x3x4xf32>) {
  // expected-error @below {{window sizes, strides and dilations must be positive, found 0}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [0, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32>
  return
}

// -----

func.func @conv_c4(%x: tensor<1x8x8x3xf32>, %w: tensor<3x3x3x4xf32>) {
  // expected-error @below {{padding of type 'tensor<1x2xi64>', tensor<2x2xi64> wanted}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32>
  return
}

// -----

func.func @conv_c11(%x: tensor<1x8x8x3xf32>, %w: tensor<3x3x3x4xf32>) {
  // expected-error @below {{feature_group_count 2 does not divide 3 features}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32>
  return
}

// -----

func.func @conv_c14(%x: tensor<1x8x8x3xf32>, %w: tensor<3x3x2x4xf32>) {
  // expected-error @below {{kernel takes 2 features, the input has 3 in each group}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x2x4xf32>) -> tensor<1x6x6x4xf32>
  return
}

// -----

func.func @conv_c23(%x: tensor<4x8x8x4xf32>, %w: tensor<3x3x2x4xf32>) {
  // expected-error @below {{has both feature_group_count 2 and batch_group_count 2}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 2 : i64} : (tensor<4x8x8x4xf32>, tensor<3x3x2x4xf32>) -> tensor<2x6x6x4xf32>
  return
}

// -----

func.func @conv_c25(%x: tensor<1x8x8x3xf32>, %w: tensor<3x3x3x4xf32>) {
  // expected-error @below {{result has type 'tensor<1x6x5x4xf32>', 'tensor<1x6x6x4xf32>' follows from the operands}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x6x5x4xf32>
  return
}

// -----

func.func @window_twice(%x: tensor<1x8x8x3xf32>, %w: tensor<3x3x3x4xf32>) {
  // expected-error @below {{window attribute 'stride' twice}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], stride = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32>
  return
}

// -----

func.func @dimension_twice(%x: tensor<1x8x8x3xf32>, %w: tensor<3x3x3x4xf32>) {
  // expected-error @below {{spatial dimension 0 twice}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 0, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32>
  return
}

// -----

func.func @cholesky_c3(%a: tensor<2x3xf32>) {
  // expected-error @below {{matrices are not square: 'tensor<2x3xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = stablehlo.cholesky %a, lower = true : tensor<2x3xf32>
  return
}

// -----

func.func @fft_c2(%a: tensor<4xf32>) {
  // expected-error @below {{FFT does not take 'tensor<4xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = stablehlo.fft %a, type = FFT, length = [4] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @dot_algorithm_precision(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error @below {{has the precision HIGHEST beside an algorithm; DEFAULT is wanted}}
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], precision = [DEFAULT, HIGHEST], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>
    : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @dot_algorithm_components(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error @below {{has an algorithm of lhs_component_count = 0; it must be positive}}
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 0, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>
    : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @dot_algorithm_operations(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error @below {{has an algorithm of num_primitive_operations = -1; it must be positive}}
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = -1, allow_imprecise_accumulation = false>
    : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @dot_algorithm_type(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error @below {{has an algorithm of lhs_precision_type = 'i8'; a float type is wanted}}
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = i8, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>
    : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @dot_half_quantized(%a: tensor<2x2x!quant.uniform<i8:f32, 1.0>>, %b: tensor<2x2xf32>) {
  // expected-error @below {{quantized are all three, or the right one}}
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x2x!quant.uniform<i8:f32, 1.0>>, tensor<2x2xf32>) -> tensor<2x2x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

func.func @dot_widths(%a: tensor<2x2x!quant.uniform<i8:f32, 1.0>>, %b: tensor<2x2x!quant.uniform<i16:f32, 1.0>>) {
  // expected-error @below {{multiplies values stored in different widths}}
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x2x!quant.uniform<i8:f32, 1.0>>, tensor<2x2x!quant.uniform<i16:f32, 1.0>>) -> tensor<2x2x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

func.func @dot_expressed(%a: tensor<2x2x!quant.uniform<i8:f32, 1.0>>, %b: tensor<2x2x!quant.uniform<i8:f64, 1.0>>) {
  // expected-error @below {{multiplies values that express different types}}
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x2x!quant.uniform<i8:f32, 1.0>>, tensor<2x2x!quant.uniform<i8:f64, 1.0>>) -> tensor<2x2x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

func.func @dot_per_tensor(%a: tensor<2x2x!quant.uniform<i8:f32, 1.0>>, %b: tensor<2x2x!quant.uniform<i8:f32, 1.0>>) {
  // expected-error @below {{quantized per tensor}}
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x2x!quant.uniform<i8:f32, 1.0>>, tensor<2x2x!quant.uniform<i8:f32, 1.0>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>
  return
}

// -----

func.func @dot_expressed_alone(%a: tensor<2x2xf64>, %b: tensor<2x2x!quant.uniform<i8:f32, 1.0>>) {
  // expected-error @below {{which expresses 'f32'}}
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x2xf64>, tensor<2x2x!quant.uniform<i8:f32, 1.0>>) -> tensor<2x2xf32>
  return
}

// -----

func.func @convolution_half_quantized(%a: tensor<1x4x2x!quant.uniform<i8:f32, 1.0>>, %b: tensor<2x2x2xf32>) {
  // expected-error @below {{quantized are all three, or the right one}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x2x!quant.uniform<i8:f32, 1.0>>, tensor<2x2x2xf32>) -> tensor<1x3x2x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

func.func @convolution_widths(%a: tensor<1x4x2x!quant.uniform<i8:f32, 1.0>>, %b: tensor<2x2x2x!quant.uniform<i16:f32, 1.0>>) {
  // expected-error @below {{multiplies values stored in different widths}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x2x!quant.uniform<i8:f32, 1.0>>, tensor<2x2x2x!quant.uniform<i16:f32, 1.0>>) -> tensor<1x3x2x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

func.func @convolution_expressed(%a: tensor<1x4x2x!quant.uniform<i8:f32, 1.0>>, %b: tensor<2x2x2x!quant.uniform<i8:f64, 1.0>>) {
  // expected-error @below {{multiplies values that express different types}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x2x!quant.uniform<i8:f32, 1.0>>, tensor<2x2x2x!quant.uniform<i8:f64, 1.0>>) -> tensor<1x3x2x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

func.func @convolution_per_tensor(%a: tensor<1x4x2x!quant.uniform<i8:f32, 1.0>>, %b: tensor<2x2x2x!quant.uniform<i8:f32, 1.0>>) {
  // expected-error @below {{quantized per tensor}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x2x!quant.uniform<i8:f32, 1.0>>, tensor<2x2x2x!quant.uniform<i8:f32, 1.0>>) -> tensor<1x3x2x!quant.uniform<i8:f32:2, {1.0, 2.0}>>
  return
}

// -----

func.func @convolution_expressed_alone(%a: tensor<1x4x2xf64>, %b: tensor<2x2x2x!quant.uniform<i8:f32, 1.0>>) {
  // expected-error @below {{which expresses 'f32'}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x2xf64>, tensor<2x2x2x!quant.uniform<i8:f32, 1.0>>) -> tensor<1x3x2xf32>
  return
}

// -----

func.func @dot_axis(%a: tensor<2x2x!quant.uniform<i8:f32, 1.0>>, %b: tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) {
  // expected-error @below {{contracts dimension 0 of rhs, along which it is quantized}}
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x2x!quant.uniform<i8:f32, 1.0>>, tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) -> tensor<2x2x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

func.func @convolution_axis(%a: tensor<1x4x2x!quant.uniform<i8:f32, 1.0>>, %b: tensor<2x2x2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>) {
  // expected-error @below {{rhs is quantized along dimension 1, not along that of its features, 2}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x2x!quant.uniform<i8:f32, 1.0>>, tensor<2x2x2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>) -> tensor<1x3x2x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

func.func @convolution_result_axis(%a: tensor<1x4x2x!quant.uniform<i8:f32, 1.0>>, %b: tensor<2x2x2x!quant.uniform<i8:f32:2, {1.0, 2.0}>>) {
  // expected-error @below {{result is quantized along dimension 1, not along that of its features, 2}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x2x!quant.uniform<i8:f32, 1.0>>, tensor<2x2x2x!quant.uniform<i8:f32:2, {1.0, 2.0}>>) -> tensor<1x3x2x!quant.uniform<i8:f32:1, {1.0, 2.0, 3.0}>>
  return
}

// -----

func.func @convolution_of_two_types(%a: tensor<1x4x2xf8E4M3FN>, %b: tensor<2x2x2xf8E5M2>) {
  // expected-error @below {{multiplies 'f8E4M3FN' by 'f8E5M2': operands have one element type, unless the right one is quantized}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x2xf8E4M3FN>, tensor<2x2x2xf8E5M2>) -> tensor<1x3x2xf32>
  return
}
