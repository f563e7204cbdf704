// Any number of sizes, the least of two, and what a program takes for granted of them: said when compiling, checked at each call.

// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: heddle compile -q twice.mlir -o twice.heddle 2>&1 | FileCheck %s --check-prefix=GRANTED
// RUN: heddle inspect twice.heddle | FileCheck %s --check-prefix=TOLD
// RUN: heddle run -q twice.heddle --dim arg0.0=7 --dim arg1.0=14 | FileCheck %s --check-prefix=HOLDS
// RUN: %exits 1 heddle run -q twice.heddle --dim arg0.0=7 --dim arg1.0=16 2>&1 | FileCheck %s --check-prefix=FAILS
// RUN: heddle compare -q twice.mlir
// RUN: heddle compare -q least.mlir --shape arg0=0..2
// RUN: heddle compare -q least.mlir
// RUN: heddle compare -q apart.mlir
// A scalar beside sizes, and a range of one size.
// RUN: heddle compile -q scalar.mlir -o scalar.heddle && heddle run -q scalar.heddle --dim arg0.0=3 | FileCheck %s --check-prefix=SCALAR
// RUN: heddle compile -q scalar.mlir --shape arg0=4..4 -o four.heddle && heddle run -q four.heddle | FileCheck %s --check-prefix=FOUR

// SCALAR: out0: f32 3
// FOUR: out0: f32 4
// GRANTED: twice.mlir: remark: takes for granted that 2 * arg0.0 = arg1.0; calls of other sizes are refused
// TOLD: takes for granted that 2 * arg0.0 = arg1.0
// HOLDS: out0: f32 14
// FAILS: error[HDL-0807]: 2 * arg0.0 = arg1.0 does not hold: arg0.0 is 7, arg1.0 is 16
//--- twice.mlir
func.func @main(%x: tensor<?xf32, #stablehlo.bounds<8>>, %y: tensor<?xf32, #stablehlo.bounds<16>>) -> tensor<?xf32, #stablehlo.bounds<16>> {
  %0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<?xf32, #stablehlo.bounds<8>>, tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<?xf32, #stablehlo.bounds<16>>
  %1 = stablehlo.add %0, %y : tensor<?xf32, #stablehlo.bounds<16>>
  return %1 : tensor<?xf32, #stablehlo.bounds<16>>
}

//--- least.mlir
func.func @main(%x: tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<?xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %least = stablehlo.minimum %n, %two : tensor<i32>
  %shape = stablehlo.reshape %least : (tensor<i32>) -> tensor<1xi32>
  %0 = stablehlo.dynamic_iota %shape, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

//--- apart.mlir
func.func @main(%a: tensor<?xf32, #stablehlo.bounds<8>>, %b: tensor<?xf32, #stablehlo.bounds<8>>, %c: tensor<?xf32, #stablehlo.bounds<8>>, %d: tensor<?xf32, #stablehlo.bounds<8>>, %e: tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<?xf32, #stablehlo.bounds<8>> {
  return %a : tensor<?xf32, #stablehlo.bounds<8>>
}

//--- scalar.mlir
func.func @main(%x: tensor<?xf32, #stablehlo.bounds<8>>, %g: tensor<f32>) -> (tensor<?xf32, #stablehlo.bounds<8>>, tensor<f32>) {
  %0 = stablehlo.reduce(%x init: %g) applies stablehlo.add across dimensions = [0] : (tensor<?xf32, #stablehlo.bounds<8>>, tensor<f32>) -> tensor<f32>
  return %x, %0 : tensor<?xf32, #stablehlo.bounds<8>>, tensor<f32>
}
