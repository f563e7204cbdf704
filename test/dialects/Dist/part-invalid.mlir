// RUN: heddle-opt %s --split-input-file --verify-diagnostics

func.func @triples(%a: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error @below {{has cuts that are no triples}}
  %0 = dist.part %a cuts [0, 2] : tensor<8xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @dimension(%a: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error @below {{has a cut [1, 2, 1], which is none of 'tensor<4xf32>'}}
  %0 = dist.part %a cuts [1, 2, 1] : tensor<8xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @count(%a: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error @below {{has a cut [0, 0, 1], which is none of}}
  %0 = dist.part %a cuts [0, 0, 1] : tensor<8xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @divisor(%a: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error @below {{has a cut [0, 2, 0], which is none of}}
  %0 = dist.part %a cuts [0, 2, 0] : tensor<8xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @overflow(%a: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error @below {{has a cut [0, 4611686018427387904, 1], which is none of}}
  %0 = dist.part %a cuts [0, 4611686018427387904, 1] : tensor<8xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @uneven(%a: tensor<7xf32>) -> tensor<4xf32> {
  // expected-error @below {{wants 'tensor<8xf32>', not 'tensor<7xf32>'}}
  %0 = dist.part %a cuts [0, 2, 1] : tensor<7xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @element(%a: tensor<8xi32>) -> tensor<4xf32> {
  // expected-error @below {{wants 'tensor<8xf32>', not 'tensor<8xi32>'}}
  %0 = dist.part %a cuts [0, 2, 1] : tensor<8xi32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
