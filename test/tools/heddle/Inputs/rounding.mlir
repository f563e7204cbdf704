// Numbers that depend on the order of operations: without tolerance, the product and what becomes of the normalization differ.
module {
  func.func @main(%x: tensor<4x64xf32> {heddle.name = "x"}) -> (tensor<4x8xf32> {heddle.name = "y"}) {
    %n = stablehlo.negate %x : tensor<4x64xf32> loc("flip")
    %i = stablehlo.iota dim = 0 : tensor<512xf32>
    %s = stablehlo.sine %i : tensor<512xf32>
    %w = stablehlo.reshape %s : (tensor<512xf32>) -> tensor<64x8xf32> loc("weight")
    %p = stablehlo.dot_general %n, %w, contracting_dims = [1] x [0] : (tensor<4x64xf32>, tensor<64x8xf32>) -> tensor<4x8xf32> loc("product")
    %c = stablehlo.constant dense<[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]> : tensor<8xf32>
    %m = "stablehlo.batch_norm_inference"(%p, %c, %c, %c, %c) {epsilon = 1.0e-5 : f32, feature_index = 1 : i64}
        : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32> loc("norm")
    %a = stablehlo.abs %m : tensor<4x8xf32> loc("size")
    return %a : tensor<4x8xf32>
  }
}
