// Attention in bf16 of as many queries and keys as each call has; keys are values.
func.func @main(%q: tensor<?x64xf32>, %k: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %0 = stablehlo.convert %q : (tensor<?x64xf32>) -> tensor<?x64xbf16>
  %1 = stablehlo.convert %k : (tensor<?x64xf32>) -> tensor<?x64xbf16>
  %2 = stablehlo.composite "heddle.attention" %0, %1, %1 {composite_attributes = {scale = 0.25 : f32}, decomposition = @attention} : (tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>) -> tensor<?x64xbf16>
  %3 = stablehlo.convert %2 : (tensor<?x64xbf16>) -> tensor<?x64xf32>
  return %3 : tensor<?x64xf32>
}
func.func private @attention(%q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>, %v: tensor<?x64xbf16>) -> tensor<?x64xbf16> {
  %lowest = stablehlo.constant dense<0xFF80> : tensor<bf16>
  %zero = stablehlo.constant dense<0.0> : tensor<bf16>
  %m = stablehlo.get_dimension_size %q, dim = 0 : (tensor<?x64xbf16>) -> tensor<i32>
  %n = stablehlo.get_dimension_size %k, dim = 0 : (tensor<?x64xbf16>) -> tensor<i32>
  %m1 = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %m1, %n1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %products = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : (tensor<?x64xbf16>, tensor<?x64xbf16>) -> tensor<?x?xbf16>
  %quarter = stablehlo.constant dense<0.25> : tensor<bf16>
  %scales = stablehlo.dynamic_broadcast_in_dim %quarter, %shape, dims = [] : (tensor<bf16>, tensor<2xi32>) -> tensor<?x?xbf16>
  %s = stablehlo.multiply %products, %scales : tensor<?x?xbf16>
  %0 = stablehlo.reduce(%s init: %lowest) applies stablehlo.maximum across dimensions = [1] : (tensor<?x?xbf16>, tensor<bf16>) -> tensor<?xbf16>
  %1 = stablehlo.dynamic_broadcast_in_dim %0, %shape, dims = [0] : (tensor<?xbf16>, tensor<2xi32>) -> tensor<?x?xbf16>
  %2 = stablehlo.subtract %s, %1 : tensor<?x?xbf16>
  %3 = stablehlo.exponential %2 : tensor<?x?xbf16>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x?xbf16>, tensor<bf16>) -> tensor<?xbf16>
  %5 = stablehlo.dynamic_broadcast_in_dim %4, %shape, dims = [0] : (tensor<?xbf16>, tensor<2xi32>) -> tensor<?x?xbf16>
  %6 = stablehlo.divide %3, %5 : tensor<?x?xbf16>
  %7 = stablehlo.dot_general %6, %v, contracting_dims = [1] x [0] : (tensor<?x?xbf16>, tensor<?x64xbf16>) -> tensor<?x64xbf16>
  return %7 : tensor<?x64xbf16>
}
