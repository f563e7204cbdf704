// RUN: heddle-opt %s --split-input-file --verify-diagnostics

func.func @different_types(%a: tensor<2xf32>, %b: tensor<2xi32>) {
  // expected-error @below {{operands have different element types: 'tensor<2xf32>' and 'tensor<2xi32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = stablehlo.add %a, %b : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>
  return
}

// -----

func.func @different_shapes(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  // expected-error @below {{must have the same shape and base type}}
  %0 = stablehlo.add %a, %b : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @no_such_function(%a: tensor<2xi32>) {
  // expected-error @below {{operand #0 must be ranked tensor of floating-point, complex or per-tensor quantized values}}
  %0 = stablehlo.exponential %a : tensor<2xi32>
  return
}

// -----

func.func @compare_as(%a: tensor<2xf32>) {
  // expected-error @below {{compares values of type 'f32' as SIGNED}}
  %0 = stablehlo.compare LT, %a, %a, SIGNED : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  return
}

// -----

func.func @clamp_bound(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  // expected-error @below {{bound of type 'tensor<3xf32>' is neither a scalar nor shaped like the operand of type 'tensor<2xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = stablehlo.clamp %b, %a, %b : (tensor<3xf32>, tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @select_pred(%p: tensor<3xi1>, %a: tensor<2xf32>) {
  // expected-error @below {{pred of type 'tensor<3xi1>' is neither a scalar nor shaped like the values of type 'tensor<2xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = stablehlo.select %p, %a, %a : tensor<3xi1>, tensor<2xf32>
  return
}

// -----

func.func @reduce_precision_c2(%a: tensor<2xf32>) {
  // expected-error @below {{exponent_bits is 0, at least 1 is needed}}
  %0 = stablehlo.reduce_precision %a, format = e0m10 : tensor<2xf32>
  return
}

// -----

func.func @reduce_precision_format(%a: tensor<2xf32>) {
  // expected-error @below {{format such as e8m10 wanted, found 'm10e8'}}
  %0 = stablehlo.reduce_precision %a, format = m10e8 : tensor<2xf32>
  return
}

// -----

func.func @convert_quantized(%a: tensor<2xf32>) {
  // expected-error @below {{converts between quantized and plain values; uniform_quantize and uniform_dequantize do that}}
  %0 = stablehlo.convert %a : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

func.func @quantize_another_type(%a: tensor<2xf16>) {
  // expected-error @below {{result expresses 'f32', the operand 'f16'}}
  %0 = stablehlo.uniform_quantize %a : (tensor<2xf16>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

func.func @tolerance(%a: tensor<2xf32>) {
  // expected-error @below {{mode TOLERANCE needs atol, rtol or ulps}}
  %0 = stablehlo.cosine %a {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2xf32>
  return
}

// -----

func.func @complex_c1(%a: tensor<2xf32>, %b: tensor<2xf64>) {
  // expected-error @below {{parts have different types: 'tensor<2xf32>' and 'tensor<2xf64>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "stablehlo.complex"(%a, %b) : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xcomplex<f32>>
  return
}

// -----

func.func @compare_c3(%a: tensor<2xi1>) {
  // expected-error @below {{compares values of type 'i1' as SIGNED}}
  %0 = stablehlo.compare LT, %a, %a, SIGNED : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return
}
