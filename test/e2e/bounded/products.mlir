// Products of which each call chooses rows, terms or how many there are: kernels are told how far, and compute no more.

// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: heddle compare rows.mlir --shape arg0=0..64x96 | FileCheck %s
// RUN: heddle compare terms.mlir --shape arg0=0..300x40 | FileCheck %s
// RUN: heddle compare batches.mlir --shape arg0=0..9x5x7 | FileCheck %s
// RUN: heddle compare joined.mlir --shape arg0=1..5x1..7x24 | FileCheck %s
// RUN: heddle compile rows.mlir --shape arg0=0..64x96 -q --stop-after=heddle-plan && FileCheck %s --check-prefix=ROWS < rows.heddle-plan.mlir
// RUN: heddle compile terms.mlir --shape arg0=0..300x40 -q --stop-after=heddle-plan && FileCheck %s --check-prefix=TERMS < terms.heddle-plan.mlir
// CHECK: ok
// CHECK-NOT: WRONG
// ROWS: kernel.contract {{.*}} : tensor<64x96xf32, #size.extents<[[N:.*]], 96>>, {{.*}} -> tensor<64x40xf32, #size.extents<[[N]], 40>>
// TERMS: kernel.contract {{.*}} : tensor<300x40xf32, #size.extents<[[N:.*]], 40>>, tensor<300x40xf32, #size.extents<[[N]], 40>> -> tensor<40x40xf32>

//--- rows.mlir
func.func @main(%x: tensor<?x96xf32>, %w: tensor<96x40xf32>) -> tensor<?x40xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<?x96xf32>, tensor<96x40xf32>) -> tensor<?x40xf32>
  %1 = stablehlo.tanh %0 : tensor<?x40xf32>
  return %1 : tensor<?x40xf32>
}

//--- terms.mlir
func.func @main(%x: tensor<?x40xf32>) -> tensor<40x40xf32> {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0] : (tensor<?x40xf32>, tensor<?x40xf32>) -> tensor<40x40xf32>
  return %0 : tensor<40x40xf32>
}

//--- batches.mlir
func.func @main(%x: tensor<?x5x7xf32>) -> tensor<?x5x5xf32> {
  %0 = stablehlo.dot_general %x, %x, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<?x5x7xf32>, tensor<?x5x7xf32>) -> tensor<?x5x5xf32>
  return %0 : tensor<?x5x5xf32>
}

//--- joined.mlir
func.func @main(%x: tensor<?x?x24xf32>, %w: tensor<24x33xf32>) -> tensor<33x33xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0] : (tensor<?x?x24xf32>, tensor<24x33xf32>) -> tensor<?x?x33xf32>
  %1 = stablehlo.dot_general %0, %0, contracting_dims = [0, 1] x [0, 1] : (tensor<?x?x33xf32>, tensor<?x?x33xf32>) -> tensor<33x33xf32>
  return %1 : tensor<33x33xf32>
}
