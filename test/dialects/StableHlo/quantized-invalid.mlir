// RUN: heddle-opt %s --split-input-file --verify-diagnostics

// Types alone: storage, zero points, axes.

func.func @signed_storage(%x: tensor<2x!quant.uniform<si8:f32, 1.0>>) {
  // expected-error @below {{is stored as 'si8'; i or u of 2, 4, 8, 16 or 32 bits is wanted}}
  %0 = stablehlo.uniform_dequantize %x : (tensor<2x!quant.uniform<si8:f32, 1.0>>) -> tensor<2xf32>
  return
}

// -----

func.func @odd_storage(%x: tensor<2x!quant.uniform<i7:f32, 1.0>>) {
  // expected-error @below {{is stored as 'i7'; i or u of 2, 4, 8, 16 or 32 bits is wanted}}
  %0 = stablehlo.uniform_dequantize %x : (tensor<2x!quant.uniform<i7:f32, 1.0>>) -> tensor<2xf32>
  return
}

// -----

func.func @zero_point(%x: tensor<2x!quant.uniform<i8:f32, 1.0:128>>) {
  // expected-error @below {{operand #0 of type 'tensor<2x!quant.uniform<i8:f32, 1.000000e+00:128>>' has the zero point 128, values are stored from -128 to 127}}
  %0 = stablehlo.negate %x : tensor<2x!quant.uniform<i8:f32, 1.0:128>>
  return
}

// -----

func.func @zero_point_of_range(%x: tensor<2xf32>) {
  // expected-error @below {{result #0 of type 'tensor<2x!quant.uniform<u8<1:200>:f32:0, {1.000000e+00:7,2.000000e+00}>>' has the zero point 0, values are stored from 1 to 200}}
  %0 = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> tensor<2x!quant.uniform<u8<1:200>:f32:0, {1.0:7, 2.0}>>
  return
}

// -----

func.func @axis(%x: tensor<2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>) {
  // expected-error @below {{has scales along dimension 1, which is not a dimension of rank 1}}
  %0 = stablehlo.uniform_dequantize %x : (tensor<2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>) -> tensor<2xf32>
  return
}

// -----

func.func @scales(%x: tensor<3x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) {
  // expected-error @below {{has 2 scales for dimension 0 of size 3}}
  %0 = stablehlo.uniform_dequantize %x : (tensor<3x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) -> tensor<3xf32>
  return
}

// -----

func.func @per_tensor_only(%x: tensor<2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) {
  // expected-error @below {{operand #0 must be ranked tensor of plain or per-tensor quantized values, but got 'tensor<2x!quant.uniform<i8:f32:0, {1.000000e+00,2.000000e+00}>>'}}
  %0 = stablehlo.reverse %x, dims = [0] : tensor<2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>
  return
}

// -----

// add.

func.func @add_c2(%x: tensor<2x!quant.uniform<i8:f32, 1.0>>, %y: tensor<2xf32>) {
  // expected-error @below {{adds '!quant.uniform<i8:f32, 1.000000e+00>' and 'f32' to '!quant.uniform<i8:f32, 1.000000e+00>': quantized are all three, or none}}
  %0 = stablehlo.add %x, %y : (tensor<2x!quant.uniform<i8:f32, 1.0>>, tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

func.func @add_c3(%x: tensor<2x!quant.uniform<i8:f32, 1.0>>) {
  // expected-error @below {{all three are stored alike, found 'i8' and 'ui8'}}
  %0 = stablehlo.add %x, %x : (tensor<2x!quant.uniform<i8:f32, 1.0>>, tensor<2x!quant.uniform<i8:f32, 1.0>>) -> tensor<2x!quant.uniform<u8:f32, 1.0>>
  return
}

// -----

func.func @add_c4(%x: tensor<2x!quant.uniform<i8:f32, 1.0>>, %y: tensor<2x!quant.uniform<i8:f64, 1.0>>) {
  // expected-error @below {{operands have different element types}}
  // expected-error @below {{failed to infer returned types}}
  %0 = stablehlo.add %x, %y : (tensor<2x!quant.uniform<i8:f32, 1.0>>, tensor<2x!quant.uniform<i8:f64, 1.0>>) -> tensor<2x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

func.func @add_c5(%x: tensor<2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>, %y: tensor<2x!quant.uniform<i8:f32, 1.0>>) {
  // expected-error @below {{the sum has scales along an axis if an operand has}}
  %0 = stablehlo.add %x, %y : (tensor<2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>, tensor<2x!quant.uniform<i8:f32, 1.0>>) -> tensor<2x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

func.func @add_c6(%x: tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>, %y: tensor<2x2x!quant.uniform<i8:f32, 1.0>>) {
  // expected-error @below {{scales lie along one axis, found 0 and 1}}
  %0 = stablehlo.add %x, %y : (tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>, tensor<2x2x!quant.uniform<i8:f32, 1.0>>) -> tensor<2x2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>
  return
}

// -----

func.func @add_c7(%x: tensor<2x2x!quant.uniform<i8:f32, 1.0>>, %y: tensor<2x2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>) {
  // expected-error @below {{scales lie along one axis, found 1 and 0}}
  %0 = stablehlo.add %x, %y : (tensor<2x2x!quant.uniform<i8:f32, 1.0>>, tensor<2x2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>
  return
}

// -----

// Other element-wise operations: the same storage and range, what is expressed too.

func.func @half_quantized(%x: tensor<2x!quant.uniform<i8:f32, 1.0>>) {
  // expected-error @below {{inferred type(s) 'tensor<2x!quant.uniform<i8:f32, 1.000000e+00>>' are incompatible with return type(s) of operation 'tensor<2xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = stablehlo.tanh %x : (tensor<2x!quant.uniform<i8:f32, 1.0>>) -> tensor<2xf32>
  return
}

// -----

func.func @storage(%x: tensor<2x!quant.uniform<i8:f32, 1.0>>, %y: tensor<2x!quant.uniform<i16:f32, 1.0>>) {
  // expected-error @below {{operands have different element types: 'tensor<2x!quant.uniform<i8:f32, 1.000000e+00>>' and 'tensor<2x!quant.uniform<i16:f32, 1.000000e+00>>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = stablehlo.multiply %x, %y : (tensor<2x!quant.uniform<i8:f32, 1.0>>, tensor<2x!quant.uniform<i16:f32, 1.0>>) -> tensor<2x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

func.func @range(%x: tensor<2x!quant.uniform<i8:f32, 1.0>>) {
  // expected-error @below {{are incompatible with return type(s) of operation 'tensor<2x!quant.uniform<i8<-127:127>:f32, 1.000000e+00>>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = stablehlo.abs %x : (tensor<2x!quant.uniform<i8:f32, 1.0>>) -> tensor<2x!quant.uniform<i8<-127:127>:f32, 1.0>>
  return
}

// -----

func.func @compare_c1(%x: tensor<2x!quant.uniform<i8:f32, 1.0>>, %y: tensor<2xf32>) {
  // expected-error @below {{operands have different element types: 'tensor<2x!quant.uniform<i8:f32, 1.000000e+00>>' and 'tensor<2xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = stablehlo.compare LT, %x, %y : (tensor<2x!quant.uniform<i8:f32, 1.0>>, tensor<2xf32>) -> tensor<2xi1>
  return
}

// -----

func.func @clamp_c3(%x: tensor<2x!quant.uniform<i8:f32, 1.0>>, %y: tensor<f32>) {
  // expected-error @below {{bound of type 'tensor<f32>' and operand of type 'tensor<2x!quant.uniform<i8:f32, 1.000000e+00>>' have different element types}}
  // expected-error @below {{failed to infer returned types}}
  %0 = stablehlo.clamp %y, %x, %y : (tensor<f32>, tensor<2x!quant.uniform<i8:f32, 1.0>>, tensor<f32>) -> tensor<2x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

// What only moves elements has one type, scales and all.

func.func @slice_c1(%x: tensor<4x!quant.uniform<i8:f32, 1.0>>) {
  // expected-error @below {{inferred type(s) 'tensor<2x!quant.uniform<i8:f32, 1.000000e+00>>' are incompatible with return type(s) of operation 'tensor<2x!quant.uniform<i8:f32, 2.000000e+00>>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = stablehlo.slice %x [0:2] : (tensor<4x!quant.uniform<i8:f32, 1.0>>) -> tensor<2x!quant.uniform<i8:f32, 2.0>>
  return
}

// -----

func.func @concatenate_c1(%x: tensor<2x!quant.uniform<i8:f32, 1.0>>, %y: tensor<2x!quant.uniform<i8:f32, 2.0>>) {
  // expected-error @below {{inputs have different element types}}
  // expected-error @below {{failed to infer returned types}}
  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<2x!quant.uniform<i8:f32, 1.0>>, tensor<2x!quant.uniform<i8:f32, 2.0>>) -> tensor<4x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

func.func @pad_c1(%x: tensor<2x!quant.uniform<i8:f32, 1.0>>, %z: tensor<f32>) {
  // expected-error @below {{padding_value of type 'tensor<f32>' is not a scalar of the operand's type}}
  // expected-error @below {{failed to infer returned types}}
  %0 = stablehlo.pad %x, %z, low = [1], high = [0], interior = [0] : (tensor<2x!quant.uniform<i8:f32, 1.0>>, tensor<f32>) -> tensor<3x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

func.func @while_c2(%x: tensor<2x!quant.uniform<i8:f32, 1.0>>, %y: tensor<2x!quant.uniform<i8:f32, 2.0>>) {
  // expected-error @below {{body returns other types than the operands have}}
  %0 = "stablehlo.while"(%x) ({
  ^bb0(%a: tensor<2x!quant.uniform<i8:f32, 1.0>>):
    %t = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  }, {
  ^bb0(%a: tensor<2x!quant.uniform<i8:f32, 1.0>>):
    stablehlo.return %y : tensor<2x!quant.uniform<i8:f32, 2.0>>
  }) : (tensor<2x!quant.uniform<i8:f32, 1.0>>) -> tensor<2x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

func.func @broadcast_c1(%x: tensor<2x!quant.uniform<i8:f32, 1.0>>) {
  // expected-error @below {{changes the element type from '!quant.uniform<i8:f32, 1.000000e+00>' to '!quant.uniform<i8:f32, 1.000000e+00:5>'}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<2x!quant.uniform<i8:f32, 1.0>>) -> tensor<3x2x!quant.uniform<i8:f32, 1.0:5>>
  return
}

// -----

func.func @broadcast_c6(%x: tensor<2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) {
  // expected-error @below {{result has scales along dimension 0, the operand's dimension 0, along which it has scales, becomes 1}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>
  return
}

// -----

func.func @broadcast_c6_repeated(%x: tensor<1x!quant.uniform<i8:f32:0, {1.0}>>) {
  // expected-error @below {{result has the scale 2.000000e+00 and zero point 0 where the operand's only ones, 1.000000e+00 and 0, are repeated}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<1x!quant.uniform<i8:f32:0, {1.0}>>) -> tensor<2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>
  return
}

// -----

func.func @dynamic_broadcast_c6(%x: tensor<2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>, %s: tensor<2xi64>) {
  // expected-error @below {{result has scales along dimension 0, the operand's dimension 0, along which it has scales, becomes 1}}
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1] : (tensor<2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>, tensor<2xi64>) -> tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>
  return
}

// -----

func.func @reshape_c1(%x: tensor<2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) {
  // expected-error @below {{changes the element type}}
  %0 = stablehlo.reshape %x : (tensor<2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) -> tensor<1x2x!quant.uniform<i8:f32:1, {1.0, 3.0}>>
  return
}

// -----

func.func @reshape_c3(%x: tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) {
  // expected-error @below {{turns dimension 0 of 'tensor<2x2x!quant.uniform<i8:f32:0, {1.000000e+00,2.000000e+00}>>', along which it has scales, into another one than dimension 1 of}}
  %0 = stablehlo.reshape %x : (tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) -> tensor<2x2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>
  return
}

// -----

func.func @dynamic_reshape_c3(%x: tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>, %s: tensor<2xi64>) {
  // expected-error @below {{turns dimension 0 of}}
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>, tensor<2xi64>) -> tensor<2x2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>
  return
}

// -----

func.func @transpose_c4(%x: tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) {
  // expected-error @below {{inferred type(s) 'tensor<2x2x!quant.uniform<i8:f32:1, {1.000000e+00,2.000000e+00}>>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>
  return
}

// -----

func.func @dot_general_c15(%x: tensor<2x2x!quant.uniform<i8:f32, 1.0>>, %y: tensor<2x2x!quant.uniform<i8:f32, 1.0:3>>) {
  // expected-error @below {{has the zero point 3 on the right, 0 is wanted: '!quant.uniform<i8:f32, 1.000000e+00:3>'}}
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x2x!quant.uniform<i8:f32, 1.0>>, tensor<2x2x!quant.uniform<i8:f32, 1.0:3>>) -> tensor<2x2x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

func.func @reduce_c2(%x: tensor<2x!quant.uniform<i8:f32, 1.0>>, %init: tensor<!quant.uniform<i8:f32, 2.0>>) {
  // expected-error @below {{initial value of type 'tensor<!quant.uniform<i8:f32, 2.000000e+00>>' is not a scalar of the type of 'tensor<2x!quant.uniform<i8:f32, 1.000000e+00>>'}}
  %0 = stablehlo.reduce(%x init: %init) applies stablehlo.maximum across dimensions = [0] : (tensor<2x!quant.uniform<i8:f32, 1.0>>, tensor<!quant.uniform<i8:f32, 2.0>>) -> tensor<!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

func.func @reduce_c6(%x: tensor<2x!quant.uniform<i16:f32, 1.0>>, %init: tensor<!quant.uniform<i16:f32, 1.0>>) {
  // expected-error @below {{values of type '!quant.uniform<i16:f32, 1.000000e+00>' cannot be accumulated in '!quant.uniform<i8:f32, 1.000000e+00>'}}
  %0 = "stablehlo.reduce"(%x, %init) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 1.0>>, %b: tensor<!quant.uniform<i8:f32, 1.0>>):
    %s = stablehlo.add %a, %b : tensor<!quant.uniform<i8:f32, 1.0>>
    stablehlo.return %s : tensor<!quant.uniform<i8:f32, 1.0>>
  }) : (tensor<2x!quant.uniform<i16:f32, 1.0>>, tensor<!quant.uniform<i16:f32, 1.0>>) -> tensor<!quant.uniform<i8:f32, 1.0>>
  return
}
