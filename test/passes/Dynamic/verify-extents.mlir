// Types that say something else than an operation's rule are an error of ours,
// never a wrong number.

// RUN: heddle-opt %s --split-input-file --verify-diagnostics --heddle-bound-dimensions

module attributes {heddle.symbols = [{name = "n", minimum = 1 : i64, maximum = 8 : i64}, {name = "m", minimum = 1 : i64, maximum = 8 : i64}]} {
  func.func @main(%x: tensor<8x8xf32, #size.extents<n, m>>) -> tensor<8x8xf32, #size.extents<n, m>> {
    // expected-error @below {{'stablehlo.transpose' has sizes that are not known to be equal: n and m}}
    %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<8x8xf32, #size.extents<n, m>>) -> tensor<8x8xf32, #size.extents<n, m>>
    return %0 : tensor<8x8xf32, #size.extents<n, m>>
  }
}

// -----

module attributes {heddle.symbols = [{name = "n", minimum = 1 : i64, maximum = 8 : i64}]} {
  func.func @main(%x: tensor<8xf32, #size.extents<n>>, %y: tensor<8xf32>) -> tensor<8xf32> {
    // expected-error @below {{'stablehlo.add' has sizes that are not known to be equal: n and 8}}
    %0 = stablehlo.add %x, %y : (tensor<8xf32, #size.extents<n>>, tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

// What calls are asked for is known.
module attributes {heddle.symbols = [{name = "n", minimum = 1 : i64, maximum = 8 : i64}, {name = "m", minimum = 1 : i64, maximum = 8 : i64}],
                   heddle.size_assumptions = [{zero = #size.expression<m - n>, text = "n = m"}]} {
  func.func @main(%x: tensor<8xf32, #size.extents<n>>, %y: tensor<8xf32, #size.extents<m>>) -> tensor<8xf32, #size.extents<n>> {
    // expected-remark @below {{'stablehlo.add' takes the time of the largest sizes at each call}}
    %0 = stablehlo.add %x, %y : (tensor<8xf32, #size.extents<n>>, tensor<8xf32, #size.extents<m>>) -> tensor<8xf32, #size.extents<n>>
    return %0 : tensor<8xf32, #size.extents<n>>
  }
}
