// What has the same bits wherever it is computed.
func.func @main(%x: tensor<3x171xf32>, %y: tensor<3x171xf32>, %n: tensor<40xi32>) -> (tensor<3x171xf32>, tensor<3x171xbf16>, tensor<3x171xf64>, tensor<3x171xf32>, tensor<57xf32>, tensor<40xi32>) {
  %0 = stablehlo.exponential %x : tensor<3x171xf32>
  %1 = stablehlo.tanh %y : tensor<3x171xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<3x171xf32>
  %3 = stablehlo.sine %2 : tensor<3x171xf32>
  %4 = stablehlo.abs %x : tensor<3x171xf32>
  %5 = stablehlo.log %4 : tensor<3x171xf32>
  %6 = stablehlo.power %4, %y : tensor<3x171xf32>
  %7 = stablehlo.rsqrt %4 : tensor<3x171xf32>
  %8 = stablehlo.divide %6, %7 : tensor<3x171xf32>
  %9 = stablehlo.add %8, %5 : tensor<3x171xf32>
  %10 = stablehlo.logistic %9 : tensor<3x171xf32>
  %11 = stablehlo.add %3, %10 : tensor<3x171xf32>
  %12 = stablehlo.convert %11 : (tensor<3x171xf32>) -> tensor<3x171xbf16>
  %13 = stablehlo.convert %11 : (tensor<3x171xf32>) -> tensor<3x171xf64>
  %14 = stablehlo.cosine %13 : tensor<3x171xf64>
  %15 = "stablehlo.sort"(%11) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
  }) : (tensor<3x171xf32>) -> tensor<3x171xf32>
  %zeros = stablehlo.constant dense<0.0> : tensor<57xf32>
  %places = stablehlo.iota dim = 0 : tensor<513xi32>
  %some = stablehlo.constant dense<57> : tensor<513xi32>
  %at = stablehlo.remainder %places, %some : tensor<513xi32>
  %flat = stablehlo.reshape %11 : (tensor<3x171xf32>) -> tensor<513xf32>
  %vectors = stablehlo.reshape %at : (tensor<513xi32>) -> tensor<513x1xi32>
  %16 = "stablehlo.scatter"(%zeros, %vectors, %flat) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%old: tensor<f32>, %new: tensor<f32>):
      %s = stablehlo.add %old, %new : tensor<f32>
      stablehlo.return %s : tensor<f32>
  }) : (tensor<57xf32>, tensor<513x1xi32>, tensor<513xf32>) -> tensor<57xf32>
  %17 = stablehlo.multiply %n, %n : tensor<40xi32>
  %18 = stablehlo.xor %17, %n : tensor<40xi32>
  return %11, %12, %14, %15, %16, %18 : tensor<3x171xf32>, tensor<3x171xbf16>, tensor<3x171xf64>, tensor<3x171xf32>, tensor<57xf32>, tensor<40xi32>
}
