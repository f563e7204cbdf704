// RUN: heddle-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{kernel.custom_call wants a dictionary, on a kernel without a body}}
func.func @body(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kernel.entry, kernel.custom_call = {}} {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{kernel.custom_call wants a dictionary, on a kernel without a body}}
func.func private @no_kernel(tensor<4xf32>) attributes {kernel.custom_call = {}}

// -----

// expected-error @below {{wants target, api_version, side_effect, attributes, backend_config, and one type for each operand and result}}
func.func private @types(tensor<4xf32>) -> tensor<4xf32> attributes {kernel.entry,
  kernel.custom_call = {target = "f", api_version = 4 : i32, side_effect = true, attributes = {}, backend_config = "",
    operands = [tensor<4xf32>], results = []}}

// -----

// expected-error @below {{wants target, api_version, side_effect, attributes, backend_config, and one type for each operand and result}}
func.func private @target(tensor<4xf32>) attributes {kernel.entry,
  kernel.custom_call = {target = "", api_version = 4 : i32, side_effect = true, attributes = {}, backend_config = "",
    operands = [tensor<4xf32>], results = []}}
