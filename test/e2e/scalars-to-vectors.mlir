// A scalar's parts, and functions that are sums over terms, of scalars: there is no loop but the parts' or the terms'.
// RUN: heddle compare %s --input 1=2.5
func.func @main(%x: tensor<f64>, %s: tensor<f32>) -> (tensor<2xi32>, tensor<f32>) {
  %0 = stablehlo.bitcast_convert %x : (tensor<f64>) -> tensor<2xi32>
  %1 = chlo.zeta %s, %s : tensor<f32>, tensor<f32> -> tensor<f32>
  return %0, %1 : tensor<2xi32>, tensor<f32>
}
