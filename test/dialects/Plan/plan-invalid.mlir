// RUN: heddle-opt %s --split-input-file --verify-diagnostics

plan.program @main arena 64 {
  // expected-error @below {{ends at 80 of an arena of 64 bytes}}
  %t = plan.buffer arena 64 size 16 ""
}

// -----

plan.program @main arena 128 {
  // expected-error @below {{is at 16, no multiple of 64}}
  %t = plan.buffer arena 16 size 16 ""
}

// -----

func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {kernel.entry}
plan.program @main arena 0 {
  %x = plan.buffer input 0 size 16 "x"
  // expected-note @below {{the buffer}}
  %w = plan.buffer weight 0 size 16 "w"
  // expected-error @below {{writes to an input, a weight or a state that the program does not change}}
  plan.launch @k reads(%x) writes(%w) nodes []
}

// -----

func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {kernel.entry}
plan.program @main arena 0 {
  %x = plan.buffer input 0 size 16 "x"
  %y = plan.buffer output 0 size 16 "y"
  // expected-error @below {{has 2 inputs and 1 outputs, the kernel 1 and 1}}
  plan.launch @k reads(%x, %x) writes(%y) nodes []
}

// -----

func.func private @k(tensor<4xf32>, f32) -> tensor<4xf32> attributes {kernel.entry}
plan.program @main arena 0 {
  %x = plan.buffer input 0 size 16 "x"
  %y = plan.buffer output 0 size 16 "y"
  // expected-error @below {{passes 2 integers, the kernel takes 1}}
  plan.launch @k reads(%x) writes(%y) integers [1, 2] nodes []
}

// -----

plan.program @main arena 0 {
  %x = plan.buffer input 0 size 16 "x"
  %y = plan.buffer output 0 size 32 "y"
  // expected-error @below {{copies 16 bytes to 32}}
  plan.copy %x to %y nodes []
  }

// -----

plan.program @main arena 0 {
  %x = plan.buffer input 0 size 16 "x"
  %y = plan.buffer output 0 size 16 "y"
  plan.copy %x to %y nodes []
  // expected-error @below {{stands after a command}}
  %z = plan.buffer output 1 size 16 "z"
}

// -----

plan.program @main arena 0 {
  // expected-error @below {{is no command of a plan}}
  %c = arith.constant 1 : i32
}

// -----

plan.program @main arena 0 {
  %x = plan.buffer input 0 size 4 "x"
  // expected-error @below {{has a flag of 4 bytes instead of 1}}
  plan.loop condition {
  } while %x do {
  } nodes []
}

// -----

plan.program @main arena 0 {
  %x = plan.buffer input 0 size 2 "x"
  // expected-error @below {{has a selector of 2 bytes instead of 1, 4 or 8}}
  plan.branch %x cases {
  } nodes []
}

// -----

plan.program @main arena 0 {
  %x = plan.buffer input 0 size 1 "x"
  plan.branch %x cases {
    // expected-error @below {{is no command of a plan}}
    %c = arith.constant 1 : i32
  } nodes []
}
