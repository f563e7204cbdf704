// RUN: %exits 3 heddle check %s | FileCheck %s
// CHECK: error[HDL-0302]: 'stablehlo.partition_id' asks which of 8 devices it runs on; one device is compiled for

module attributes {mhlo.num_partitions = 8 : i32} {
  func.func @main() -> tensor<ui32> {
    %0 = stablehlo.partition_id : tensor<ui32>
    return %0 : tensor<ui32>
  }
}
