// Which word of ThreeFry goes to which element: neighbours along the first even dimension, else along the largest. The
// numbers are what XLA's CPU backend gives.
// RUN: heddle test %s
// RUN: heddle test --interpret %s

func.func @main() {
  %state = stablehlo.constant dense<[1, 0, 0, 0]> : tensor<4xui32>
  %0:2 = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<4xui32>) -> (tensor<4xui32>, tensor<8xui32>)
  %1:2 = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<4xui32>) -> (tensor<4xui32>, tensor<5x3xui32>)
  %2:2 = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<4xui32>) -> (tensor<4xui32>, tensor<3x2x4xui32>)
  %3 = stablehlo.slice %2#1 [0:2, 0:2, 0:4] : (tensor<3x2x4xui32>) -> tensor<2x2x4xui32>
  %4:2 = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<4xui32>) -> (tensor<4xui32>, tensor<7x3x5xui32>)
  check.expect_eq_const %0#0, dense<[1, 0, 4, 0]> : tensor<4xui32>
  check.expect_eq_const %0#1, dense<[3023415290, 2531993477, 247883890, 763684785, 43444564, 2150618427, 3979645651, 3745730563]> : tensor<8xui32>
  check.expect_eq_const %1#0, dense<[1, 0, 9, 0]> : tensor<4xui32>
  check.expect_eq_const %1#1, dense<[[3023415290, 247883890, 43444564], [2531993477, 763684785, 2150618427], [3979645651, 1672743891, 2109414752],
                                     [3745730563, 4240503393, 618976052], [2534981805, 2868795927, 2915202000]]> : tensor<5x3xui32>
  check.expect_eq_const %3, dense<[[[3023415290, 247883890, 43444564, 3979645651], [2531993477, 763684785, 2150618427, 3745730563]],
                                   [[1672743891, 2109414752, 2534981805, 2868795927], [4240503393, 618976052, 3824176357, 3753859121]]]> : tensor<2x2x4xui32>
  check.expect_eq_const %4#0, dense<[1, 0, 60, 0]> : tensor<4xui32>
  return
}
