// A step of attention over caches that stay: both are tensors of their capacity, changed in place, whose first `past + 1` places count.
module attributes {heddle.symbols = [{name = "past", minimum = 0 : i64, maximum = 70 : i64}]} {
  func.func @main(%q: tensor<2x3x1x16xf32> {heddle.name = "q"}, %nk: tensor<2x3x1x16xf32> {heddle.name = "nk"}, %nv: tensor<2x3x1x16xf32> {heddle.name = "nv"},
      %k: tensor<2x3x71x16xf32> {heddle.name = "k", heddle.state = "k"}, %v: tensor<2x3x71x16xf32> {heddle.name = "v", heddle.state = "v"}, %p: tensor<i32> {heddle.extent = "past"})
      -> (tensor<2x3x1x16xf32> {heddle.name = "y"}, tensor<2x3x71x16xf32> {heddle.state = "k"}, tensor<2x3x71x16xf32> {heddle.state = "v"}) {
    %z = stablehlo.constant dense<0> : tensor<i32>
    %at = size.tensor <past> : tensor<i32>
    %k1 = stablehlo.dynamic_update_slice %k, %nk, %z, %z, %at, %z : (tensor<2x3x71x16xf32>, tensor<2x3x1x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x3x71x16xf32>
    %v1 = stablehlo.dynamic_update_slice %v, %nv, %z, %z, %at, %z : (tensor<2x3x71x16xf32>, tensor<2x3x1x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x3x71x16xf32>
    %ks = stablehlo.slice %k1 [0:2, 0:3, 0:71, 0:16] {size.limit_indices = #size.extents<2, 3, past + 1, 16>} : (tensor<2x3x71x16xf32>) -> tensor<2x3x71x16xf32, #size.extents<2, 3, past + 1, 16>>
    %vs = stablehlo.slice %v1 [0:2, 0:3, 0:71, 0:16] {size.limit_indices = #size.extents<2, 3, past + 1, 16>} : (tensor<2x3x71x16xf32>) -> tensor<2x3x71x16xf32, #size.extents<2, 3, past + 1, 16>>
    %s = stablehlo.dot_general %q, %ks, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<2x3x1x16xf32>, tensor<2x3x71x16xf32, #size.extents<2, 3, past + 1, 16>>) -> tensor<2x3x1x71xf32, #size.extents<2, 3, 1, past + 1>>
    %inf = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %m = stablehlo.reduce(%s init: %inf) applies stablehlo.maximum across dimensions = [3] : (tensor<2x3x1x71xf32, #size.extents<2, 3, 1, past + 1>>, tensor<f32>) -> tensor<2x3x1xf32>
    %mb = stablehlo.broadcast_in_dim %m, dims = [0, 1, 2] : (tensor<2x3x1xf32>) -> tensor<2x3x1x71xf32, #size.extents<2, 3, 1, past + 1>>
    %d = stablehlo.subtract %s, %mb : tensor<2x3x1x71xf32, #size.extents<2, 3, 1, past + 1>>
    %e = stablehlo.exponential %d : tensor<2x3x1x71xf32, #size.extents<2, 3, 1, past + 1>>
    %t = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<2x3x1x71xf32, #size.extents<2, 3, 1, past + 1>>, tensor<f32>) -> tensor<2x3x1xf32>
    %tb = stablehlo.broadcast_in_dim %t, dims = [0, 1, 2] : (tensor<2x3x1xf32>) -> tensor<2x3x1x71xf32, #size.extents<2, 3, 1, past + 1>>
    %pr = stablehlo.divide %e, %tb : tensor<2x3x1x71xf32, #size.extents<2, 3, 1, past + 1>>
    %y = stablehlo.dot_general %pr, %vs, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<2x3x1x71xf32, #size.extents<2, 3, 1, past + 1>>, tensor<2x3x71x16xf32, #size.extents<2, 3, past + 1, 16>>) -> tensor<2x3x1x16xf32>
    return %y, %k1, %v1 : tensor<2x3x1x16xf32>, tensor<2x3x71x16xf32>, tensor<2x3x71x16xf32>
  }
}
