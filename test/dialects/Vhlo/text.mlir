// VHLO in text: types and attributes are StableHLO's as soon as they are parsed, operations when they are converted.

// RUN: heddle-opt %s | FileCheck %s --check-prefix=PARSED
// RUN: heddle-translate --deserialize %s | FileCheck %s

// PARSED: "vhlo.func_v1"
// PARSED-SAME: function_type = (tensor<2x3xf32>, tensor<?x3xi8, #stablehlo.bounds<4, ?>>) -> tensor<2x3xf32>
// PARSED: "vhlo.compare_v1"(%{{.*}}, %{{.*}}) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}>
// PARSED: "vhlo.return_v1"(%{{.*}}) : (tensor<2x3xf32>) -> ()

// CHECK: func.func @main(%arg0: tensor<2x3xf32> {jax.flag = true, jax.number = 3 : i32, jax.scale = 1.500000e+00 : f32},
// CHECK-SAME: %arg1: tensor<?x3xi8, #stablehlo.bounds<4, ?>>) -> tensor<2x3xf32>
vhlo.func_v1 @main(%arg0: !vhlo.tensor_v1<2x3x!vhlo.f32_v1>, %arg1: !vhlo.tensor_v1<?x3x!vhlo.i8_v1, #vhlo.type_extensions_v1<bounds = [4, ?]>>) -> (!vhlo.tensor_v1<2x3x!vhlo.f32_v1>) {
  // CHECK: %[[C:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<2x3xf32>
  %0 = "vhlo.constant_v1"() <{value = #vhlo.tensor_v1<dense<0.0> : tensor<2x3xf32>>}> : () -> !vhlo.tensor_v1<2x3x!vhlo.f32_v1>
  // CHECK: %[[P:.*]] = stablehlo.compare GT, %arg0, %[[C]], FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %1 = "vhlo.compare_v1"(%arg0, %0) <{compare_type = #vhlo<comparison_type_v1 FLOAT>, comparison_direction = #vhlo<comparison_direction_v1 GT>}> : (!vhlo.tensor_v1<2x3x!vhlo.f32_v1>, !vhlo.tensor_v1<2x3x!vhlo.f32_v1>) -> !vhlo.tensor_v1<2x3x!vhlo.bool_v1>
  // CHECK: %[[E:.*]] = stablehlo.exponential %arg0 {result_accuracy = #stablehlo.result_accuracy<ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>}
  %2 = "vhlo.exponential_v2"(%arg0) <{result_accuracy = #vhlo.result_accuracy_v1<atol = 0.0, rtol = 0.0, ulps = 2, mode = #vhlo<result_accuracy_mode_v1 TOLERANCE>>}> : (!vhlo.tensor_v1<2x3x!vhlo.f32_v1>) -> !vhlo.tensor_v1<2x3x!vhlo.f32_v1>
  // CHECK: stablehlo.exponential %[[E]] : tensor<2x3xf32>
  %3 = "vhlo.exponential_v1"(%2) : (!vhlo.tensor_v1<2x3x!vhlo.f32_v1>) -> !vhlo.tensor_v1<2x3x!vhlo.f32_v1>
  %4 = "vhlo.select_v1"(%1, %2, %3) : (!vhlo.tensor_v1<2x3x!vhlo.bool_v1>, !vhlo.tensor_v1<2x3x!vhlo.f32_v1>, !vhlo.tensor_v1<2x3x!vhlo.f32_v1>) -> !vhlo.tensor_v1<2x3x!vhlo.f32_v1>
  // CHECK: stablehlo.custom_call @f(%{{.*}}) {api_version = 4 : i32, backend_config = {k = "v"}, called_computations = [@g]}
  %5 = "vhlo.custom_call_v1"(%4) <{api_version = #vhlo<api_version_v1 API_VERSION_TYPED_FFI>, backend_config = #vhlo.dict_v1<{#vhlo.string_v1<"k"> = #vhlo.string_v1<"v">}>, call_target_name = #vhlo.string_v1<"f">, called_computations = #vhlo.array_v1<[#vhlo.string_v1<"g">]>, has_side_effect = #vhlo.bool_v1<false>, operand_layouts = #vhlo.array_v1<[]>, output_operand_aliases = #vhlo.array_v1<[]>, result_layouts = #vhlo.array_v1<[]>}> : (!vhlo.tensor_v1<2x3x!vhlo.f32_v1>) -> !vhlo.tensor_v1<2x3x!vhlo.f32_v1>
  // CHECK: return %{{.*}} : tensor<2x3xf32>
  "vhlo.return_v1"(%5) : (!vhlo.tensor_v1<2x3x!vhlo.f32_v1>) -> ()
} {arg_attrs = #vhlo.array_v1<[#vhlo.dict_v1<{#vhlo.string_v1<"jax.flag"> = #vhlo.bool_v1<true>, #vhlo.string_v1<"jax.number"> = #vhlo.integer_v1<3 : i32>, #vhlo.string_v1<"jax.scale"> = #vhlo.float_v1<1.5 : !vhlo.f32_v1>}>, #vhlo.dict_v1<{}>]>, res_attrs = #vhlo.array_v1<[]>, sym_visibility = #vhlo.string_v1<"">}

// CHECK: func.func private @g()
vhlo.func_v1 @g() -> () {
  "vhlo.return_v1"() : () -> ()
} {arg_attrs = #vhlo.array_v1<[]>, res_attrs = #vhlo.array_v1<[]>, sym_visibility = #vhlo.string_v1<"private">}
