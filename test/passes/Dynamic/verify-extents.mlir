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

// -----

// So is which of two sizes is the greater.
module attributes {heddle.symbols = [{name = "n", minimum = 1 : i64, maximum = 8 : i64}, {name = "m", minimum = 1 : i64, maximum = 8 : i64}],
                   heddle.size_assumptions = [{zero = #size.expression<is_positive(m - n)>, text = "m <= n"}]} {
  func.func @main(%x: tensor<1x2x8xf32, #size.extents<1, 2, n>>, %y: tensor<8xf32, #size.extents<m>>, %w: tensor<2x2x3xf32>) -> tensor<1x2x7xf32, #size.extents<1, 2, n - m>> {
    %0 = stablehlo.slice %x [0:1, 0:2, 0:7] {size.limit_indices = #size.extents<1, 2, n>, size.start_indices = #size.extents<0, 0, m>}
      : (tensor<1x2x8xf32, #size.extents<1, 2, n>>) -> tensor<1x2x7xf32, #size.extents<1, 2, n - m>>
    %1 = stablehlo.convolution(%0, %w) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1], pad = [[1, 1]], lhs_dilate = [1], rhs_dilate = [1]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<1x2x7xf32, #size.extents<1, 2, n - m>>, tensor<2x2x3xf32>) -> tensor<1x2x7xf32, #size.extents<1, 2, n - m>>
    return %1 : tensor<1x2x7xf32, #size.extents<1, 2, n - m>>
  }
}

// -----

// What calls of another entry are asked for is not known.
module attributes {heddle.symbols = [{name = "n", minimum = 1 : i64, maximum = 8 : i64}, {name = "m", minimum = 1 : i64, maximum = 8 : i64}],
                   heddle.size_assumptions = [{zero = #size.expression<is_positive(m - n)>, text = "m <= n", entry = "other"}]} {
  func.func @main(%x: tensor<1x2x8xf32, #size.extents<1, 2, n>>, %y: tensor<8xf32, #size.extents<m>>, %w: tensor<2x2x3xf32>) -> tensor<1x2x7xf32, #size.extents<1, 2, n - m>> {
    %0 = stablehlo.slice %x [0:1, 0:2, 0:7] {size.limit_indices = #size.extents<1, 2, n>, size.start_indices = #size.extents<0, 0, m>}
      : (tensor<1x2x8xf32, #size.extents<1, 2, n>>) -> tensor<1x2x7xf32, #size.extents<1, 2, n - m>>
    // expected-error @below {{'stablehlo.convolution' has sizes that are not known to be equal: -m + n and -min(m - n, 0)}}
    %1 = stablehlo.convolution(%0, %w) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1], pad = [[1, 1]], lhs_dilate = [1], rhs_dilate = [1]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<1x2x7xf32, #size.extents<1, 2, n - m>>, tensor<2x2x3xf32>) -> tensor<1x2x7xf32, #size.extents<1, 2, n - m>>
    return %1 : tensor<1x2x7xf32, #size.extents<1, 2, n - m>>
  }
}
