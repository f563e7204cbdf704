// RUN: heddle-opt %s --split-input-file --verify-diagnostics

func.func @kind(%x: tensor<4xf32>) {
  // expected-error @below {{has the unknown kind 'scatter'}}
  %0 = kernel.collective "scatter"(%x) groups [0, 1] of 2 type f32 : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @reduction(%x: tensor<4xf32>) {
  // expected-error @below {{of kind 'all_reduce' has no reduction}}
  %0 = kernel.collective "all_reduce"(%x) groups [0, 1] of 2 type f32 : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @reduction(%x: tensor<4xf32>) {
  // expected-error @below {{of kind 'permute' has a reduction}}
  %0 = kernel.collective "permute" by "sum"(%x) groups [0, 1] of 2 type f32 : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @reduction(%x: tensor<4xf32>) {
  // expected-error @below {{has the unknown reduction 'mean'}}
  %0 = kernel.collective "all_reduce" by "mean"(%x) groups [0, 1] of 2 type f32 : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @groups(%x: tensor<4xf32>) {
  // expected-error @below {{has 3 ranks in groups of 2}}
  %0 = kernel.collective "all_reduce" by "sum"(%x) groups [0, 1, 2] of 2 type f32 : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @groups(%x: tensor<4xf32>) {
  // expected-error @below {{has rank 1 in its groups twice}}
  %0 = kernel.collective "all_reduce" by "sum"(%x) groups [0, 1, 2, 1] of 2 type f32 : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @pairs(%x: tensor<4xf32>) {
  // expected-error @below {{has rank 1 in its groups twice on one side}}
  %0 = kernel.collective "permute"(%x) groups [0, 1, 2, 1] of 2 type f32 : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @pieces(%x: tensor<4xf32>) {
  // expected-error @below {{cuts 4 elements into 3 pieces}}
  %0 = kernel.collective "reduce_scatter" by "sum"(%x) groups [0, 1, 2] of 3 type f32 : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @result(%x: tensor<4xf32>) {
  // expected-error @below {{of kind 'all_gather' in groups of 2 gives 'tensor<4xf32>' for 'tensor<4xf32>'}}
  %0 = kernel.collective "all_gather"(%x) groups [0, 1] of 2 type f32 : tensor<4xf32> -> tensor<4xf32>
  return
}
