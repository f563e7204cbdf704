// RUN: heddle-opt %s --split-input-file --heddle-expand-custom-calls --verify-diagnostics

// All unknown names are reported, each with its users.
func.func @unknown(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{[HDL-0308] custom call 'their_kernel' is not known to heddle; 2 operations call it}}
  // expected-note @below {{export the program without it}}
  %0 = stablehlo.custom_call @their_kernel(%a) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-note @below {{called here too}}
  %1 = stablehlo.custom_call @their_kernel(%0) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @below {{[HDL-0308] custom call 'other' is not known to heddle; 1 operation calls it}}
  // expected-note @below {{export the program without it, or with what StableHLO has in its place; --custom-call other compiles a call to a function that you register where the artifact is loaded}}
  %2 = stablehlo.custom_call @other(%1) : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

func.func @callback(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{[HDL-0308] custom call 'xla_ffi_python_cpu_callback' runs a Python function of the process that exported the program}}
  // expected-note @below {{export without pure_callback, io_callback and debug.print: an artifact runs without Python}}
  %0 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @shard(%a: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error @below {{[HDL-0309] custom call 'SPMDFullToShardShape' turns 'tensor<8xf32>' into 'tensor<4xf32>': its operand is one device's part; programs are compiled for one device}}
  %0 = stablehlo.custom_call @SPMDFullToShardShape(%a) : (tensor<8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @arity(%a: tensor<3x3xf32>) -> tensor<3x3xf32> {
  // expected-error @below {{[HDL-0309] custom call 'lapack_sgetrf_ffi' has 1 operands and 2 results; 1 and 3 are expected}}
  %0:2 = stablehlo.custom_call @lapack_sgetrf_ffi(%a) : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xi32>)
  return %0#0 : tensor<3x3xf32>
}

// -----

func.func @factors(%d: tensor<4xf32>, %b: tensor<4x2xf32>) -> tensor<4xf32> {
  // expected-error @below {{[HDL-0309] custom call 'lapack_sgtsv_ffi': only the solution can be used, not the factors}}
  %0:5 = stablehlo.custom_call @lapack_sgtsv_ffi(%d, %d, %d, %b) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x2xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x2xf32>, tensor<i32>)
  return %0#1 : tensor<4xf32>
}

// -----

func.func @sorted(%a: tensor<3x3xf32>) -> tensor<3x3xf32> {
  // expected-error @below {{[HDL-0309] custom call 'lapack_sgees_ffi': eigenvalues are not sorted; sort = 'N' is supported}}
  %0:6 = stablehlo.custom_call @lapack_sgees_ffi(%a) {mhlo.backend_config = {mode = 86 : ui8, sort = 83 : ui8}} : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<i32>, tensor<i32>)
  return %0#0 : tensor<3x3xf32>
}

// -----

func.func @top_k(%x: tensor<2x9xf32>) -> (tensor<2x10xf32>, tensor<2x10xi32>) {
  // expected-error @below {{[HDL-0309] custom call 'TopK' gives values of its operand and their places as i32}}
  %0:2 = stablehlo.custom_call @TopK(%x) : (tensor<2x9xf32>) -> (tensor<2x10xf32>, tensor<2x10xi32>)
  return %0#0, %0#1 : tensor<2x10xf32>, tensor<2x10xi32>
}
