// Numbers of 4 bits, two in a byte, with a scale and a zero point for each block of 2 x 3 of them.
module attributes {heddle.source = "scaled.mlir", heddle.target = "x86-64-v3"} {
  kernel.weight @numbers : tensor<4x6xi4> packing "k n -> n/3 k/2 n%3 k%2 in u8" block [2, 3] scale @scales zero_point @zeros {
    %0 = stablehlo.constant dense<[[1, 2, 3, 4, 5, 6], [-1, -2, -3, -4, -5, -6], [0, 1, 0, 1, 0, 1], [7, 6, 5, 4, 3, 2]]> : tensor<4x6xi4>
    kernel.yield %0 : tensor<4x6xi4>
  }
  kernel.weight @scales : tensor<2x2xf32> {
    %0 = stablehlo.constant dense<[[0.5, 0.25], [1.0, 2.0]]> : tensor<2x2xf32>
    kernel.yield %0 : tensor<2x2xf32>
  }
  kernel.weight @zeros : tensor<2x2xi8> {
    %0 = stablehlo.constant dense<[[0, 1], [2, 3]]> : tensor<2x2xi8>
    kernel.yield %0 : tensor<2x2xi8>
  }
  func.func private @bytes(%x: tensor<2x2x3x1xi8>, %w: tensor<2x2x3x1xi8>) -> tensor<2x2x3x1xi8> attributes {kernel.entry} {
    %0 = tensor.empty() : tensor<2x2x3x1xi8>
    %1 = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x, %w : tensor<2x2x3x1xi8>, tensor<2x2x3x1xi8>) outs(%0 : tensor<2x2x3x1xi8>) {
    ^bb0(%a: i8, %b: i8, %out: i8):
      %2 = arith.xori %a, %b : i8
      linalg.yield %2 : i8
    } -> tensor<2x2x3x1xi8>
    return %1 : tensor<2x2x3x1xi8>
  }
  func.func @main(%x: tensor<2x2x3x1xi8> {heddle.name = "x"}) -> (tensor<2x2x3x1xi8> {heddle.name = "y"}) {
    %w = kernel.weight_ref @numbers : tensor<2x2x3x1xi8>
    %0 = kernel.launch @bytes(%x, %w) : (tensor<2x2x3x1xi8>, tensor<2x2x3x1xi8>) -> tensor<2x2x3x1xi8>
    return %0 : tensor<2x2x3x1xi8>
  }
}
