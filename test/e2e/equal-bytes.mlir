// Equal inputs give equal bytes: kernels with several buffers per row, compiled again and again, from two folders.
// RUN: rm -rf %t && mkdir -p %t/other && cp %s %t/model.mlir && cp %s %t/other/model.mlir
// RUN: heddle compile --quiet %t/model.mlir -o %t/a.heddle
// RUN: heddle compile --quiet %t/model.mlir -o %t/b.heddle
// RUN: heddle compile --quiet %t/other/model.mlir -o %t/c.heddle
// RUN: heddle compile --quiet %t/other/model.mlir -o %t/d.heddle
// RUN: cmp %t/a.heddle %t/b.heddle && cmp %t/a.heddle %t/c.heddle && cmp %t/a.heddle %t/d.heddle

func.func @main(%x: tensor<6x96xf32>, %y: tensor<6x96xf32>) -> (tensor<6x96xf32>, tensor<6x96xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<96.0> : tensor<6xf32>
  %eps = stablehlo.constant dense<1.0e-5> : tensor<6xf32>
  %s = stablehlo.add %x, %y : tensor<6x96xf32>
  %0 = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<6x96xf32>, tensor<f32>) -> tensor<6xf32>
  %1 = stablehlo.divide %0, %n : tensor<6xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<6xf32>) -> tensor<6x96xf32>
  %3 = stablehlo.subtract %s, %2 : tensor<6x96xf32>
  %4 = stablehlo.multiply %3, %3 : tensor<6x96xf32>
  %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<6x96xf32>, tensor<f32>) -> tensor<6xf32>
  %6 = stablehlo.divide %5, %n : tensor<6xf32>
  %7 = stablehlo.add %6, %eps : tensor<6xf32>
  %8 = stablehlo.rsqrt %7 : tensor<6xf32>
  %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<6xf32>) -> tensor<6x96xf32>
  %10 = stablehlo.multiply %3, %9 : tensor<6x96xf32>
  %11 = stablehlo.exponential %10 : tensor<6x96xf32>
  %12 = stablehlo.reduce(%11 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<6x96xf32>, tensor<f32>) -> tensor<6xf32>
  %13 = stablehlo.broadcast_in_dim %12, dims = [0] : (tensor<6xf32>) -> tensor<6x96xf32>
  %14 = stablehlo.divide %11, %13 : tensor<6x96xf32>
  return %14, %s : tensor<6x96xf32>, tensor<6x96xf32>
}
