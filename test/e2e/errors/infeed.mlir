// RUN: %exits 3 heddle check %s | FileCheck %s
// CHECK: error[HDL-0302]: 'stablehlo.infeed' takes values from the host while the program runs; make them arguments

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  %0:2 = "stablehlo.infeed"(%t) {infeed_config = ""} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return %0#0 : tensor<2xf32>
}
