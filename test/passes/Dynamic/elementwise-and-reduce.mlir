// A size from 0 to 5: kernels run over the rows that are there, in the caller's
// memory. Over the bound, only rows that are there would be summed.

// RUN: heddle compile %s --shape arg0=0..5x10 --stop-after=heddle-graph --force -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: heddle compile %s --shape arg0=0..5x10 --stop-after=import --force -o %t.import.mlir
// RUN: heddle-opt %t.import.mlir --heddle-bound-dimensions=masks-all | FileCheck %s --check-prefix=MASKS

// RUN: heddle compile %s --shape arg0=0..5x10 -o %t.heddle --dump-after=heddle-plan=%t.plan.mlir
// RUN: FileCheck %s --check-prefix=PLAN < %t.plan.mlir
// RUN: heddle inspect %t.heddle | FileCheck %s --check-prefix=INSPECT
// RUN: heddle run %t.heddle --dim arg0.0=3 --input arg0=ones | FileCheck %s --check-prefix=THREE
// RUN: heddle run %t.heddle --dim arg0.0=0 | FileCheck %s --check-prefix=NONE
// RUN: not heddle run %t.heddle --dim arg0.0=6 2>&1 | FileCheck %s --check-prefix=MORE
// RUN: not heddle run %t.heddle --dim arg0.0=1..3 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: heddle run %t.heddle --shape arg0=3x10 --input arg0=ones | FileCheck %s --check-prefix=THREE
// RUN: heddle compare -q %s %t.heddle --shape arg0=0..5x10 | FileCheck %s --check-prefix=COMPARE

// CHECK: heddle.symbols = [{maximum = 5 : i64, minimum = 0 : i64, name = "arg0.0"}]
// CHECK: @main(%[[X:.*]]: tensor<5x10xf32, #size.extents<arg0.0, 10>> {heddle.name = "arg0", heddle.shape = #size.extents<arg0.0, 10>}
// CHECK-SAME: tensor<i32> {heddle.extent = "arg0.0"}
// CHECK: %[[E:.*]] = stablehlo.exponential %[[X]]
// CHECK: stablehlo.reduce(%[[E]]
// CHECK: return %[[E]]

// MASKS: @main(%[[X:.*]]: tensor<5x10xf32> {heddle.name = "arg0", heddle.shape = #size.extents<arg0.0, 10>}
// MASKS: %[[INSIDE:.*]] = stablehlo.compare LT
// MASKS: %[[E:.*]] = stablehlo.exponential %[[X]]
// MASKS: %[[KEPT:.*]] = stablehlo.select %{{.*}}, %[[E]], %{{.*}}
// MASKS: stablehlo.reduce(%[[KEPT]]
// MASKS: return %[[E]]

// PLAN: plan.program @main
// PLAN-NOT: plan.resize
// PLAN-NOT: plan.extent
// PLAN: plan.buffer input 0 size 200 "arg0" {bytes = #size.expression<40 * arg0.0>}
// PLAN-NOT: plan.resize
// PLAN: plan.buffer output 0 size 200 "out0" {bytes = #size.expression<40 * arg0.0>}
// PLAN-NOT: plan.resize

// INSPECT: input arg0 f32 0..5x10
// INSPECT: output out0 f32 0..5x10
// INSPECT: output out1 f32 10

// THREE: out0: f32 3x10, from 2.71828
// THREE: out1: f32 10, from 8.15485 to 8.15485
// NONE: out0: f32 0x10
// NONE: out1: f32 10, from 0 to 0
// MORE: error[HDL-0213]: "arg0.0" is from 0 to 5 in this program
// RANGE: error[HDL-0213]: "arg0.0=1..3" is no dimension: write --dim NAME=8
// COMPARE: ok {{.*}} out1

func.func @main(%x: tensor<?x10xf32>) -> (tensor<?x10xf32>, tensor<10xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.exponential %x : tensor<?x10xf32>
  %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<?x10xf32>, tensor<f32>) -> tensor<10xf32>
  return %0, %1 : tensor<?x10xf32>, tensor<10xf32>
}
