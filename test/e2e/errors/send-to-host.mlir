// RUN: %exits 3 heddle check %s | FileCheck %s
// CHECK: error[HDL-0302]: 'stablehlo.send' uses channel 5 to the host, which a compiled program does not have

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  %0 = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return %x : tensor<2xf32>
}
