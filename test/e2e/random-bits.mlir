// Random bits, compiled against interpreted: both generators, all layouts of states, every width of output.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: heddle compare three-fry.mlir
// RUN: heddle compare philox.mlir
// RUN: heddle compare default.mlir
// RUN: heddle compare carry.mlir
// RUN: heddle compare distributions.mlir

//--- three-fry.mlir
func.func @main(%s0: tensor<2xui64>, %s1: tensor<4xui32>) -> (tensor<7xui32>, tensor<2xui64>, tensor<3x5xui64>, tensor<2xui64>, tensor<9xui8>, tensor<2xui64>, tensor<2x3xi16>, tensor<2xui64>, tensor<1xi32>, tensor<2xui64>, tensor<0xui32>, tensor<2xui64>, tensor<5xui32>, tensor<2xui64>, tensor<3xui64>, tensor<2xui64>, tensor<ui64>, tensor<2xui64>, tensor<11xui16>, tensor<2xui64>, tensor<7xui32>, tensor<4xui32>, tensor<3x5xui64>, tensor<4xui32>, tensor<9xui8>, tensor<4xui32>, tensor<2x3xi16>, tensor<4xui32>, tensor<1xi32>, tensor<4xui32>, tensor<0xui32>, tensor<4xui32>, tensor<5xui32>, tensor<4xui32>, tensor<3xui64>, tensor<4xui32>, tensor<ui64>, tensor<4xui32>, tensor<11xui16>, tensor<4xui32>) {
  %n0, %b0 = stablehlo.rng_bit_generator %s0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<7xui32>)
  %n1, %b1 = stablehlo.rng_bit_generator %s0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui64>)
  %n2, %b2 = stablehlo.rng_bit_generator %s0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<9xui8>)
  %n3, %b3 = stablehlo.rng_bit_generator %s0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xi16>)
  %n4, %b4 = stablehlo.rng_bit_generator %s0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1xi32>)
  %n5, %b5 = stablehlo.rng_bit_generator %s0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<0xui32>)
  %n6, %b6 = stablehlo.rng_bit_generator %s0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xf32>)
  %c6 = stablehlo.bitcast_convert %b6 : (tensor<5xf32>) -> tensor<5xui32>
  %n7, %b7 = stablehlo.rng_bit_generator %s0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xf64>)
  %c7 = stablehlo.bitcast_convert %b7 : (tensor<3xf64>) -> tensor<3xui64>
  %n8, %b8 = stablehlo.rng_bit_generator %s0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui64>)
  %n9, %b9 = stablehlo.rng_bit_generator %s0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<11xbf16>)
  %c9 = stablehlo.bitcast_convert %b9 : (tensor<11xbf16>) -> tensor<11xui16>
  %n10, %b10 = stablehlo.rng_bit_generator %s1, algorithm = THREE_FRY : (tensor<4xui32>) -> (tensor<4xui32>, tensor<7xui32>)
  %n11, %b11 = stablehlo.rng_bit_generator %s1, algorithm = THREE_FRY : (tensor<4xui32>) -> (tensor<4xui32>, tensor<3x5xui64>)
  %n12, %b12 = stablehlo.rng_bit_generator %s1, algorithm = THREE_FRY : (tensor<4xui32>) -> (tensor<4xui32>, tensor<9xui8>)
  %n13, %b13 = stablehlo.rng_bit_generator %s1, algorithm = THREE_FRY : (tensor<4xui32>) -> (tensor<4xui32>, tensor<2x3xi16>)
  %n14, %b14 = stablehlo.rng_bit_generator %s1, algorithm = THREE_FRY : (tensor<4xui32>) -> (tensor<4xui32>, tensor<1xi32>)
  %n15, %b15 = stablehlo.rng_bit_generator %s1, algorithm = THREE_FRY : (tensor<4xui32>) -> (tensor<4xui32>, tensor<0xui32>)
  %n16, %b16 = stablehlo.rng_bit_generator %s1, algorithm = THREE_FRY : (tensor<4xui32>) -> (tensor<4xui32>, tensor<5xf32>)
  %c16 = stablehlo.bitcast_convert %b16 : (tensor<5xf32>) -> tensor<5xui32>
  %n17, %b17 = stablehlo.rng_bit_generator %s1, algorithm = THREE_FRY : (tensor<4xui32>) -> (tensor<4xui32>, tensor<3xf64>)
  %c17 = stablehlo.bitcast_convert %b17 : (tensor<3xf64>) -> tensor<3xui64>
  %n18, %b18 = stablehlo.rng_bit_generator %s1, algorithm = THREE_FRY : (tensor<4xui32>) -> (tensor<4xui32>, tensor<ui64>)
  %n19, %b19 = stablehlo.rng_bit_generator %s1, algorithm = THREE_FRY : (tensor<4xui32>) -> (tensor<4xui32>, tensor<11xbf16>)
  %c19 = stablehlo.bitcast_convert %b19 : (tensor<11xbf16>) -> tensor<11xui16>
  return %b0, %n0, %b1, %n1, %b2, %n2, %b3, %n3, %b4, %n4, %b5, %n5, %c6, %n6, %c7, %n7, %b8, %n8, %c9, %n9, %b10, %n10, %b11, %n11, %b12, %n12, %b13, %n13, %b14, %n14, %b15, %n15, %c16, %n16, %c17, %n17, %b18, %n18, %c19, %n19 : tensor<7xui32>, tensor<2xui64>, tensor<3x5xui64>, tensor<2xui64>, tensor<9xui8>, tensor<2xui64>, tensor<2x3xi16>, tensor<2xui64>, tensor<1xi32>, tensor<2xui64>, tensor<0xui32>, tensor<2xui64>, tensor<5xui32>, tensor<2xui64>, tensor<3xui64>, tensor<2xui64>, tensor<ui64>, tensor<2xui64>, tensor<11xui16>, tensor<2xui64>, tensor<7xui32>, tensor<4xui32>, tensor<3x5xui64>, tensor<4xui32>, tensor<9xui8>, tensor<4xui32>, tensor<2x3xi16>, tensor<4xui32>, tensor<1xi32>, tensor<4xui32>, tensor<0xui32>, tensor<4xui32>, tensor<5xui32>, tensor<4xui32>, tensor<3xui64>, tensor<4xui32>, tensor<ui64>, tensor<4xui32>, tensor<11xui16>, tensor<4xui32>
}
//--- philox.mlir
func.func @main(%s0: tensor<2xui64>, %s1: tensor<4xui32>, %s2: tensor<3xui64>, %s3: tensor<6xui32>) -> (tensor<7xui32>, tensor<2xui64>, tensor<3x5xui64>, tensor<2xui64>, tensor<9xui8>, tensor<2xui64>, tensor<2x3xi16>, tensor<2xui64>, tensor<1xi32>, tensor<2xui64>, tensor<0xui32>, tensor<2xui64>, tensor<5xui32>, tensor<2xui64>, tensor<3xui64>, tensor<2xui64>, tensor<ui64>, tensor<2xui64>, tensor<11xui16>, tensor<2xui64>, tensor<7xui32>, tensor<4xui32>, tensor<3x5xui64>, tensor<4xui32>, tensor<9xui8>, tensor<4xui32>, tensor<2x3xi16>, tensor<4xui32>, tensor<1xi32>, tensor<4xui32>, tensor<0xui32>, tensor<4xui32>, tensor<5xui32>, tensor<4xui32>, tensor<3xui64>, tensor<4xui32>, tensor<ui64>, tensor<4xui32>, tensor<11xui16>, tensor<4xui32>, tensor<7xui32>, tensor<3xui64>, tensor<3x5xui64>, tensor<3xui64>, tensor<9xui8>, tensor<3xui64>, tensor<2x3xi16>, tensor<3xui64>, tensor<1xi32>, tensor<3xui64>, tensor<0xui32>, tensor<3xui64>, tensor<5xui32>, tensor<3xui64>, tensor<3xui64>, tensor<3xui64>, tensor<ui64>, tensor<3xui64>, tensor<11xui16>, tensor<3xui64>, tensor<7xui32>, tensor<6xui32>, tensor<3x5xui64>, tensor<6xui32>, tensor<9xui8>, tensor<6xui32>, tensor<2x3xi16>, tensor<6xui32>, tensor<1xi32>, tensor<6xui32>, tensor<0xui32>, tensor<6xui32>, tensor<5xui32>, tensor<6xui32>, tensor<3xui64>, tensor<6xui32>, tensor<ui64>, tensor<6xui32>, tensor<11xui16>, tensor<6xui32>) {
  %n0, %b0 = stablehlo.rng_bit_generator %s0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<7xui32>)
  %n1, %b1 = stablehlo.rng_bit_generator %s0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui64>)
  %n2, %b2 = stablehlo.rng_bit_generator %s0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<9xui8>)
  %n3, %b3 = stablehlo.rng_bit_generator %s0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xi16>)
  %n4, %b4 = stablehlo.rng_bit_generator %s0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1xi32>)
  %n5, %b5 = stablehlo.rng_bit_generator %s0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<0xui32>)
  %n6, %b6 = stablehlo.rng_bit_generator %s0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xf32>)
  %c6 = stablehlo.bitcast_convert %b6 : (tensor<5xf32>) -> tensor<5xui32>
  %n7, %b7 = stablehlo.rng_bit_generator %s0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xf64>)
  %c7 = stablehlo.bitcast_convert %b7 : (tensor<3xf64>) -> tensor<3xui64>
  %n8, %b8 = stablehlo.rng_bit_generator %s0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui64>)
  %n9, %b9 = stablehlo.rng_bit_generator %s0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<11xbf16>)
  %c9 = stablehlo.bitcast_convert %b9 : (tensor<11xbf16>) -> tensor<11xui16>
  %n10, %b10 = stablehlo.rng_bit_generator %s1, algorithm = PHILOX : (tensor<4xui32>) -> (tensor<4xui32>, tensor<7xui32>)
  %n11, %b11 = stablehlo.rng_bit_generator %s1, algorithm = PHILOX : (tensor<4xui32>) -> (tensor<4xui32>, tensor<3x5xui64>)
  %n12, %b12 = stablehlo.rng_bit_generator %s1, algorithm = PHILOX : (tensor<4xui32>) -> (tensor<4xui32>, tensor<9xui8>)
  %n13, %b13 = stablehlo.rng_bit_generator %s1, algorithm = PHILOX : (tensor<4xui32>) -> (tensor<4xui32>, tensor<2x3xi16>)
  %n14, %b14 = stablehlo.rng_bit_generator %s1, algorithm = PHILOX : (tensor<4xui32>) -> (tensor<4xui32>, tensor<1xi32>)
  %n15, %b15 = stablehlo.rng_bit_generator %s1, algorithm = PHILOX : (tensor<4xui32>) -> (tensor<4xui32>, tensor<0xui32>)
  %n16, %b16 = stablehlo.rng_bit_generator %s1, algorithm = PHILOX : (tensor<4xui32>) -> (tensor<4xui32>, tensor<5xf32>)
  %c16 = stablehlo.bitcast_convert %b16 : (tensor<5xf32>) -> tensor<5xui32>
  %n17, %b17 = stablehlo.rng_bit_generator %s1, algorithm = PHILOX : (tensor<4xui32>) -> (tensor<4xui32>, tensor<3xf64>)
  %c17 = stablehlo.bitcast_convert %b17 : (tensor<3xf64>) -> tensor<3xui64>
  %n18, %b18 = stablehlo.rng_bit_generator %s1, algorithm = PHILOX : (tensor<4xui32>) -> (tensor<4xui32>, tensor<ui64>)
  %n19, %b19 = stablehlo.rng_bit_generator %s1, algorithm = PHILOX : (tensor<4xui32>) -> (tensor<4xui32>, tensor<11xbf16>)
  %c19 = stablehlo.bitcast_convert %b19 : (tensor<11xbf16>) -> tensor<11xui16>
  %n20, %b20 = stablehlo.rng_bit_generator %s2, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<7xui32>)
  %n21, %b21 = stablehlo.rng_bit_generator %s2, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3x5xui64>)
  %n22, %b22 = stablehlo.rng_bit_generator %s2, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<9xui8>)
  %n23, %b23 = stablehlo.rng_bit_generator %s2, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<2x3xi16>)
  %n24, %b24 = stablehlo.rng_bit_generator %s2, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<1xi32>)
  %n25, %b25 = stablehlo.rng_bit_generator %s2, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<0xui32>)
  %n26, %b26 = stablehlo.rng_bit_generator %s2, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<5xf32>)
  %c26 = stablehlo.bitcast_convert %b26 : (tensor<5xf32>) -> tensor<5xui32>
  %n27, %b27 = stablehlo.rng_bit_generator %s2, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3xf64>)
  %c27 = stablehlo.bitcast_convert %b27 : (tensor<3xf64>) -> tensor<3xui64>
  %n28, %b28 = stablehlo.rng_bit_generator %s2, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<ui64>)
  %n29, %b29 = stablehlo.rng_bit_generator %s2, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<11xbf16>)
  %c29 = stablehlo.bitcast_convert %b29 : (tensor<11xbf16>) -> tensor<11xui16>
  %n30, %b30 = stablehlo.rng_bit_generator %s3, algorithm = PHILOX : (tensor<6xui32>) -> (tensor<6xui32>, tensor<7xui32>)
  %n31, %b31 = stablehlo.rng_bit_generator %s3, algorithm = PHILOX : (tensor<6xui32>) -> (tensor<6xui32>, tensor<3x5xui64>)
  %n32, %b32 = stablehlo.rng_bit_generator %s3, algorithm = PHILOX : (tensor<6xui32>) -> (tensor<6xui32>, tensor<9xui8>)
  %n33, %b33 = stablehlo.rng_bit_generator %s3, algorithm = PHILOX : (tensor<6xui32>) -> (tensor<6xui32>, tensor<2x3xi16>)
  %n34, %b34 = stablehlo.rng_bit_generator %s3, algorithm = PHILOX : (tensor<6xui32>) -> (tensor<6xui32>, tensor<1xi32>)
  %n35, %b35 = stablehlo.rng_bit_generator %s3, algorithm = PHILOX : (tensor<6xui32>) -> (tensor<6xui32>, tensor<0xui32>)
  %n36, %b36 = stablehlo.rng_bit_generator %s3, algorithm = PHILOX : (tensor<6xui32>) -> (tensor<6xui32>, tensor<5xf32>)
  %c36 = stablehlo.bitcast_convert %b36 : (tensor<5xf32>) -> tensor<5xui32>
  %n37, %b37 = stablehlo.rng_bit_generator %s3, algorithm = PHILOX : (tensor<6xui32>) -> (tensor<6xui32>, tensor<3xf64>)
  %c37 = stablehlo.bitcast_convert %b37 : (tensor<3xf64>) -> tensor<3xui64>
  %n38, %b38 = stablehlo.rng_bit_generator %s3, algorithm = PHILOX : (tensor<6xui32>) -> (tensor<6xui32>, tensor<ui64>)
  %n39, %b39 = stablehlo.rng_bit_generator %s3, algorithm = PHILOX : (tensor<6xui32>) -> (tensor<6xui32>, tensor<11xbf16>)
  %c39 = stablehlo.bitcast_convert %b39 : (tensor<11xbf16>) -> tensor<11xui16>
  return %b0, %n0, %b1, %n1, %b2, %n2, %b3, %n3, %b4, %n4, %b5, %n5, %c6, %n6, %c7, %n7, %b8, %n8, %c9, %n9, %b10, %n10, %b11, %n11, %b12, %n12, %b13, %n13, %b14, %n14, %b15, %n15, %c16, %n16, %c17, %n17, %b18, %n18, %c19, %n19, %b20, %n20, %b21, %n21, %b22, %n22, %b23, %n23, %b24, %n24, %b25, %n25, %c26, %n26, %c27, %n27, %b28, %n28, %c29, %n29, %b30, %n30, %b31, %n31, %b32, %n32, %b33, %n33, %b34, %n34, %b35, %n35, %c36, %n36, %c37, %n37, %b38, %n38, %c39, %n39 : tensor<7xui32>, tensor<2xui64>, tensor<3x5xui64>, tensor<2xui64>, tensor<9xui8>, tensor<2xui64>, tensor<2x3xi16>, tensor<2xui64>, tensor<1xi32>, tensor<2xui64>, tensor<0xui32>, tensor<2xui64>, tensor<5xui32>, tensor<2xui64>, tensor<3xui64>, tensor<2xui64>, tensor<ui64>, tensor<2xui64>, tensor<11xui16>, tensor<2xui64>, tensor<7xui32>, tensor<4xui32>, tensor<3x5xui64>, tensor<4xui32>, tensor<9xui8>, tensor<4xui32>, tensor<2x3xi16>, tensor<4xui32>, tensor<1xi32>, tensor<4xui32>, tensor<0xui32>, tensor<4xui32>, tensor<5xui32>, tensor<4xui32>, tensor<3xui64>, tensor<4xui32>, tensor<ui64>, tensor<4xui32>, tensor<11xui16>, tensor<4xui32>, tensor<7xui32>, tensor<3xui64>, tensor<3x5xui64>, tensor<3xui64>, tensor<9xui8>, tensor<3xui64>, tensor<2x3xi16>, tensor<3xui64>, tensor<1xi32>, tensor<3xui64>, tensor<0xui32>, tensor<3xui64>, tensor<5xui32>, tensor<3xui64>, tensor<3xui64>, tensor<3xui64>, tensor<ui64>, tensor<3xui64>, tensor<11xui16>, tensor<3xui64>, tensor<7xui32>, tensor<6xui32>, tensor<3x5xui64>, tensor<6xui32>, tensor<9xui8>, tensor<6xui32>, tensor<2x3xi16>, tensor<6xui32>, tensor<1xi32>, tensor<6xui32>, tensor<0xui32>, tensor<6xui32>, tensor<5xui32>, tensor<6xui32>, tensor<3xui64>, tensor<6xui32>, tensor<ui64>, tensor<6xui32>, tensor<11xui16>, tensor<6xui32>
}
//--- default.mlir
func.func @main(%s0: tensor<2xui64>, %s1: tensor<4xui32>, %s2: tensor<3xui64>, %s3: tensor<6xui32>) -> (tensor<7xui32>, tensor<2xui64>, tensor<3x5xui64>, tensor<2xui64>, tensor<9xui8>, tensor<2xui64>, tensor<2x3xi16>, tensor<2xui64>, tensor<1xi32>, tensor<2xui64>, tensor<0xui32>, tensor<2xui64>, tensor<5xui32>, tensor<2xui64>, tensor<3xui64>, tensor<2xui64>, tensor<ui64>, tensor<2xui64>, tensor<11xui16>, tensor<2xui64>, tensor<7xui32>, tensor<4xui32>, tensor<3x5xui64>, tensor<4xui32>, tensor<9xui8>, tensor<4xui32>, tensor<2x3xi16>, tensor<4xui32>, tensor<1xi32>, tensor<4xui32>, tensor<0xui32>, tensor<4xui32>, tensor<5xui32>, tensor<4xui32>, tensor<3xui64>, tensor<4xui32>, tensor<ui64>, tensor<4xui32>, tensor<11xui16>, tensor<4xui32>, tensor<7xui32>, tensor<3xui64>, tensor<3x5xui64>, tensor<3xui64>, tensor<9xui8>, tensor<3xui64>, tensor<2x3xi16>, tensor<3xui64>, tensor<1xi32>, tensor<3xui64>, tensor<0xui32>, tensor<3xui64>, tensor<5xui32>, tensor<3xui64>, tensor<3xui64>, tensor<3xui64>, tensor<ui64>, tensor<3xui64>, tensor<11xui16>, tensor<3xui64>, tensor<7xui32>, tensor<6xui32>, tensor<3x5xui64>, tensor<6xui32>, tensor<9xui8>, tensor<6xui32>, tensor<2x3xi16>, tensor<6xui32>, tensor<1xi32>, tensor<6xui32>, tensor<0xui32>, tensor<6xui32>, tensor<5xui32>, tensor<6xui32>, tensor<3xui64>, tensor<6xui32>, tensor<ui64>, tensor<6xui32>, tensor<11xui16>, tensor<6xui32>) {
  %n0, %b0 = stablehlo.rng_bit_generator %s0, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<7xui32>)
  %n1, %b1 = stablehlo.rng_bit_generator %s0, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui64>)
  %n2, %b2 = stablehlo.rng_bit_generator %s0, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<9xui8>)
  %n3, %b3 = stablehlo.rng_bit_generator %s0, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xi16>)
  %n4, %b4 = stablehlo.rng_bit_generator %s0, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1xi32>)
  %n5, %b5 = stablehlo.rng_bit_generator %s0, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<0xui32>)
  %n6, %b6 = stablehlo.rng_bit_generator %s0, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xf32>)
  %c6 = stablehlo.bitcast_convert %b6 : (tensor<5xf32>) -> tensor<5xui32>
  %n7, %b7 = stablehlo.rng_bit_generator %s0, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xf64>)
  %c7 = stablehlo.bitcast_convert %b7 : (tensor<3xf64>) -> tensor<3xui64>
  %n8, %b8 = stablehlo.rng_bit_generator %s0, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui64>)
  %n9, %b9 = stablehlo.rng_bit_generator %s0, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<11xbf16>)
  %c9 = stablehlo.bitcast_convert %b9 : (tensor<11xbf16>) -> tensor<11xui16>
  %n10, %b10 = stablehlo.rng_bit_generator %s1, algorithm = DEFAULT : (tensor<4xui32>) -> (tensor<4xui32>, tensor<7xui32>)
  %n11, %b11 = stablehlo.rng_bit_generator %s1, algorithm = DEFAULT : (tensor<4xui32>) -> (tensor<4xui32>, tensor<3x5xui64>)
  %n12, %b12 = stablehlo.rng_bit_generator %s1, algorithm = DEFAULT : (tensor<4xui32>) -> (tensor<4xui32>, tensor<9xui8>)
  %n13, %b13 = stablehlo.rng_bit_generator %s1, algorithm = DEFAULT : (tensor<4xui32>) -> (tensor<4xui32>, tensor<2x3xi16>)
  %n14, %b14 = stablehlo.rng_bit_generator %s1, algorithm = DEFAULT : (tensor<4xui32>) -> (tensor<4xui32>, tensor<1xi32>)
  %n15, %b15 = stablehlo.rng_bit_generator %s1, algorithm = DEFAULT : (tensor<4xui32>) -> (tensor<4xui32>, tensor<0xui32>)
  %n16, %b16 = stablehlo.rng_bit_generator %s1, algorithm = DEFAULT : (tensor<4xui32>) -> (tensor<4xui32>, tensor<5xf32>)
  %c16 = stablehlo.bitcast_convert %b16 : (tensor<5xf32>) -> tensor<5xui32>
  %n17, %b17 = stablehlo.rng_bit_generator %s1, algorithm = DEFAULT : (tensor<4xui32>) -> (tensor<4xui32>, tensor<3xf64>)
  %c17 = stablehlo.bitcast_convert %b17 : (tensor<3xf64>) -> tensor<3xui64>
  %n18, %b18 = stablehlo.rng_bit_generator %s1, algorithm = DEFAULT : (tensor<4xui32>) -> (tensor<4xui32>, tensor<ui64>)
  %n19, %b19 = stablehlo.rng_bit_generator %s1, algorithm = DEFAULT : (tensor<4xui32>) -> (tensor<4xui32>, tensor<11xbf16>)
  %c19 = stablehlo.bitcast_convert %b19 : (tensor<11xbf16>) -> tensor<11xui16>
  %n20, %b20 = stablehlo.rng_bit_generator %s2, algorithm = DEFAULT : (tensor<3xui64>) -> (tensor<3xui64>, tensor<7xui32>)
  %n21, %b21 = stablehlo.rng_bit_generator %s2, algorithm = DEFAULT : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3x5xui64>)
  %n22, %b22 = stablehlo.rng_bit_generator %s2, algorithm = DEFAULT : (tensor<3xui64>) -> (tensor<3xui64>, tensor<9xui8>)
  %n23, %b23 = stablehlo.rng_bit_generator %s2, algorithm = DEFAULT : (tensor<3xui64>) -> (tensor<3xui64>, tensor<2x3xi16>)
  %n24, %b24 = stablehlo.rng_bit_generator %s2, algorithm = DEFAULT : (tensor<3xui64>) -> (tensor<3xui64>, tensor<1xi32>)
  %n25, %b25 = stablehlo.rng_bit_generator %s2, algorithm = DEFAULT : (tensor<3xui64>) -> (tensor<3xui64>, tensor<0xui32>)
  %n26, %b26 = stablehlo.rng_bit_generator %s2, algorithm = DEFAULT : (tensor<3xui64>) -> (tensor<3xui64>, tensor<5xf32>)
  %c26 = stablehlo.bitcast_convert %b26 : (tensor<5xf32>) -> tensor<5xui32>
  %n27, %b27 = stablehlo.rng_bit_generator %s2, algorithm = DEFAULT : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3xf64>)
  %c27 = stablehlo.bitcast_convert %b27 : (tensor<3xf64>) -> tensor<3xui64>
  %n28, %b28 = stablehlo.rng_bit_generator %s2, algorithm = DEFAULT : (tensor<3xui64>) -> (tensor<3xui64>, tensor<ui64>)
  %n29, %b29 = stablehlo.rng_bit_generator %s2, algorithm = DEFAULT : (tensor<3xui64>) -> (tensor<3xui64>, tensor<11xbf16>)
  %c29 = stablehlo.bitcast_convert %b29 : (tensor<11xbf16>) -> tensor<11xui16>
  %n30, %b30 = stablehlo.rng_bit_generator %s3, algorithm = DEFAULT : (tensor<6xui32>) -> (tensor<6xui32>, tensor<7xui32>)
  %n31, %b31 = stablehlo.rng_bit_generator %s3, algorithm = DEFAULT : (tensor<6xui32>) -> (tensor<6xui32>, tensor<3x5xui64>)
  %n32, %b32 = stablehlo.rng_bit_generator %s3, algorithm = DEFAULT : (tensor<6xui32>) -> (tensor<6xui32>, tensor<9xui8>)
  %n33, %b33 = stablehlo.rng_bit_generator %s3, algorithm = DEFAULT : (tensor<6xui32>) -> (tensor<6xui32>, tensor<2x3xi16>)
  %n34, %b34 = stablehlo.rng_bit_generator %s3, algorithm = DEFAULT : (tensor<6xui32>) -> (tensor<6xui32>, tensor<1xi32>)
  %n35, %b35 = stablehlo.rng_bit_generator %s3, algorithm = DEFAULT : (tensor<6xui32>) -> (tensor<6xui32>, tensor<0xui32>)
  %n36, %b36 = stablehlo.rng_bit_generator %s3, algorithm = DEFAULT : (tensor<6xui32>) -> (tensor<6xui32>, tensor<5xf32>)
  %c36 = stablehlo.bitcast_convert %b36 : (tensor<5xf32>) -> tensor<5xui32>
  %n37, %b37 = stablehlo.rng_bit_generator %s3, algorithm = DEFAULT : (tensor<6xui32>) -> (tensor<6xui32>, tensor<3xf64>)
  %c37 = stablehlo.bitcast_convert %b37 : (tensor<3xf64>) -> tensor<3xui64>
  %n38, %b38 = stablehlo.rng_bit_generator %s3, algorithm = DEFAULT : (tensor<6xui32>) -> (tensor<6xui32>, tensor<ui64>)
  %n39, %b39 = stablehlo.rng_bit_generator %s3, algorithm = DEFAULT : (tensor<6xui32>) -> (tensor<6xui32>, tensor<11xbf16>)
  %c39 = stablehlo.bitcast_convert %b39 : (tensor<11xbf16>) -> tensor<11xui16>
  return %b0, %n0, %b1, %n1, %b2, %n2, %b3, %n3, %b4, %n4, %b5, %n5, %c6, %n6, %c7, %n7, %b8, %n8, %c9, %n9, %b10, %n10, %b11, %n11, %b12, %n12, %b13, %n13, %b14, %n14, %b15, %n15, %c16, %n16, %c17, %n17, %b18, %n18, %c19, %n19, %b20, %n20, %b21, %n21, %b22, %n22, %b23, %n23, %b24, %n24, %b25, %n25, %c26, %n26, %c27, %n27, %b28, %n28, %c29, %n29, %b30, %n30, %b31, %n31, %b32, %n32, %b33, %n33, %b34, %n34, %b35, %n35, %c36, %n36, %c37, %n37, %b38, %n38, %c39, %n39 : tensor<7xui32>, tensor<2xui64>, tensor<3x5xui64>, tensor<2xui64>, tensor<9xui8>, tensor<2xui64>, tensor<2x3xi16>, tensor<2xui64>, tensor<1xi32>, tensor<2xui64>, tensor<0xui32>, tensor<2xui64>, tensor<5xui32>, tensor<2xui64>, tensor<3xui64>, tensor<2xui64>, tensor<ui64>, tensor<2xui64>, tensor<11xui16>, tensor<2xui64>, tensor<7xui32>, tensor<4xui32>, tensor<3x5xui64>, tensor<4xui32>, tensor<9xui8>, tensor<4xui32>, tensor<2x3xi16>, tensor<4xui32>, tensor<1xi32>, tensor<4xui32>, tensor<0xui32>, tensor<4xui32>, tensor<5xui32>, tensor<4xui32>, tensor<3xui64>, tensor<4xui32>, tensor<ui64>, tensor<4xui32>, tensor<11xui16>, tensor<4xui32>, tensor<7xui32>, tensor<3xui64>, tensor<3x5xui64>, tensor<3xui64>, tensor<9xui8>, tensor<3xui64>, tensor<2x3xi16>, tensor<3xui64>, tensor<1xi32>, tensor<3xui64>, tensor<0xui32>, tensor<3xui64>, tensor<5xui32>, tensor<3xui64>, tensor<3xui64>, tensor<3xui64>, tensor<ui64>, tensor<3xui64>, tensor<11xui16>, tensor<3xui64>, tensor<7xui32>, tensor<6xui32>, tensor<3x5xui64>, tensor<6xui32>, tensor<9xui8>, tensor<6xui32>, tensor<2x3xi16>, tensor<6xui32>, tensor<1xi32>, tensor<6xui32>, tensor<0xui32>, tensor<6xui32>, tensor<5xui32>, tensor<6xui32>, tensor<3xui64>, tensor<6xui32>, tensor<ui64>, tensor<6xui32>, tensor<11xui16>, tensor<6xui32>
}
// The counter carries into its upper half.
//--- carry.mlir
func.func @main(%x: tensor<ui64>) -> (tensor<3xui64>, tensor<12xui32>) {
  %last = stablehlo.constant dense<0xFFFFFFFFFFFFFFFE> : tensor<1xui64>
  %key = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<ui64>) -> tensor<1xui64>
  %s = stablehlo.concatenate %key, %last, %key, dim = 0 : (tensor<1xui64>, tensor<1xui64>, tensor<1xui64>) -> tensor<3xui64>
  %n, %b = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<12xui32>)
  return %n, %b : tensor<3xui64>, tensor<12xui32>
}
//--- distributions.mlir
func.func @main(%a: tensor<f32>, %i: tensor<i8>) -> (tensor<4x9xf32>, tensor<50xf64>, tensor<33xi8>, tensor<20xui32>, tensor<7xbf16>) {
  %shape = stablehlo.constant dense<[4, 9]> : tensor<2xi64>
  %fifty = stablehlo.constant dense<50> : tensor<1xi64>
  %some = stablehlo.constant dense<33> : tensor<1xi64>
  %twenty = stablehlo.constant dense<20> : tensor<1xi64>
  %seven = stablehlo.constant dense<7> : tensor<1xi64>
  %high = stablehlo.constant dense<5.0> : tensor<f32>
  %mean = stablehlo.constant dense<-1.0> : tensor<f64>
  %width = stablehlo.constant dense<2.0> : tensor<f64>
  %least = stablehlo.constant dense<-100> : tensor<i8>
  %few = stablehlo.constant dense<10> : tensor<ui32>
  %many = stablehlo.constant dense<4000000000> : tensor<ui32>
  %low = stablehlo.constant dense<0.0> : tensor<bf16>
  %one = stablehlo.constant dense<1.0> : tensor<bf16>
  %0 = stablehlo.rng %a, %high, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<4x9xf32>
  %1 = stablehlo.rng %mean, %width, %fifty, distribution = NORMAL : (tensor<f64>, tensor<f64>, tensor<1xi64>) -> tensor<50xf64>
  %2 = stablehlo.rng %least, %i, %some, distribution = UNIFORM : (tensor<i8>, tensor<i8>, tensor<1xi64>) -> tensor<33xi8>
  %3 = stablehlo.rng %few, %many, %twenty, distribution = UNIFORM : (tensor<ui32>, tensor<ui32>, tensor<1xi64>) -> tensor<20xui32>
  %4 = stablehlo.rng %low, %one, %seven, distribution = UNIFORM : (tensor<bf16>, tensor<bf16>, tensor<1xi64>) -> tensor<7xbf16>
  return %0, %1, %2, %3, %4 : tensor<4x9xf32>, tensor<50xf64>, tensor<33xi8>, tensor<20xui32>, tensor<7xbf16>
}
