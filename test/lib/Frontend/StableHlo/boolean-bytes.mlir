// Constants in hex as newer MLIR prints them: a byte an element, of every type. Release 22 packs booleans and prints the rest alike.
// RUN: heddle-translate --import-stablehlo %s | FileCheck %s
// RUN: heddle check %s
// What is wrong stays where it stood in the file.
// RUN: sed 's/0x000101/0x000201/' %s > %t.damaged.mlir
// RUN: not heddle-translate --import-stablehlo %t.damaged.mlir 2>&1 | FileCheck %s --check-prefix=DAMAGED
// RUN: sed "s/return .a, .b/return %%a, %%missing/" %s > %t.later.mlir
// RUN: not heddle-translate --import-stablehlo %t.later.mlir 2>&1 | FileCheck %s --check-prefix=LATER

// DAMAGED: damaged.mlir:21:29: error: [HDL-0301] {{.*}}hex
// LATER: later.mlir:48:16: error: [HDL-0301] use of undeclared SSA value

module attributes {mhlo.note = "dense<\"0x0101\"> : tensor<2xi1> // no constant"} {
  func.func @main() -> (tensor<3xi1>, tensor<2x5xi1>, tensor<8xi1>, tensor<1xi1>, tensor<10xi1>, tensor<2xi2>, tensor<2xui4>, tensor<2xi8>, tensor<2xui16>,
      tensor<2xf8E5M2>, tensor<2xf4E2M1FN>, tensor<1xbf16>, tensor<1xf16>, tensor<1xf64>, tensor<1xcomplex<f32>>) {
    // CHECK-DAG: dense<[false, true, true]> : tensor<3xi1>
    // CHECK-DAG: dense<{{\[}}[true, false, false, true, true], [false, false, false, false, true]]> : tensor<2x5xi1>
    // CHECK-DAG: dense<true> : tensor<8xi1>
    // CHECK-DAG: dense<true> : tensor<1xi1>
    // CHECK-DAG: dense<[true, false, true, false, true, false, true, false, true, true]> : tensor<10xi1>
    %a = stablehlo.constant dense<"0x000101"> : tensor<3xi1> // dense<"0x
    %b = stablehlo.constant dense < "0x01000001010000000001" > :
      tensor<2x5xi1>
    %c = stablehlo.constant dense<"0x0101010101010101"> : tensor<8xi1>
    %d = stablehlo.constant dense<"0x01"> : tensor<1xi1>
    // As release 22 prints them.
    %e = stablehlo.constant dense<"0x5503"> : tensor<10xi1>
    // CHECK-DAG: dense<[1, -2]> : tensor<2xi2>
    %f = stablehlo.constant dense<"0x0102"> : tensor<2xi2>
    // CHECK-DAG: dense<[1, 15]> : tensor<2xui4>
    %g = stablehlo.constant dense<"0x010F"> : tensor<2xui4>
    // CHECK-DAG: dense<[1, -1]> : tensor<2xi8>
    %h = stablehlo.constant dense<"0x01FF"> : tensor<2xi8>
    // CHECK-DAG: dense<[1, 256]> : tensor<2xui16>
    %i = stablehlo.constant dense<"0x01000001"> : tensor<2xui16>
    // CHECK-DAG: dense<[1.000000e+00, -2.000000e+00]> : tensor<2xf8E5M2>
    %j = stablehlo.constant dense<"0x3CC0"> : tensor<2xf8E5M2>
    // CHECK-DAG: dense<[1.000000e+00, -6.000000e+00]> : tensor<2xf4E2M1FN>
    %k = stablehlo.constant dense<"0x020F"> : tensor<2xf4E2M1FN>
    // CHECK-DAG: dense<1.000000e+00> : tensor<1xbf16>
    %l = stablehlo.constant dense<"0x803F"> : tensor<1xbf16>
    // CHECK-DAG: dense<1.000000e+00> : tensor<1xf16>
    %m = stablehlo.constant dense<"0x003C"> : tensor<1xf16>
    // CHECK-DAG: dense<1.000000e+00> : tensor<1xf64>
    %n = stablehlo.constant dense<"0x000000000000F03F"> : tensor<1xf64>
    // CHECK-DAG: dense<(1.000000e+00,-2.000000e+00)> : tensor<1xcomplex<f32>>
    %o = stablehlo.constant dense<"0x0000803F000000C0"> : tensor<1xcomplex<f32>>
    return %a, %b, %c, %d, %e, %f, %g, %h, %i, %j, %k, %l, %m, %n, %o : tensor<3xi1>, tensor<2x5xi1>, tensor<8xi1>, tensor<1xi1>, tensor<10xi1>, tensor<2xi2>, tensor<2xui4>,
      tensor<2xi8>, tensor<2xui16>, tensor<2xf8E5M2>, tensor<2xf4E2M1FN>, tensor<1xbf16>, tensor<1xf16>, tensor<1xf64>, tensor<1xcomplex<f32>>
  }
}
