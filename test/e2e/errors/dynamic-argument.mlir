// RUN: %exits 3 heddle check %s | FileCheck %s
// CHECK: error[HDL-0305]: argument 'arg0' has type 'tensor<?xf32>'; a tensor of known size is wanted: --shape arg0=N
// CHECK: help: Give the sizes that the message names

func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = stablehlo.abs %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
