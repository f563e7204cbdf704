// RUN: heddle-opt %s --split-input-file --verify-diagnostics

plan.program @main arena 0 {
  %x = plan.buffer input 0 size 16 "x"
  %y = plan.buffer output 0 size 16 "y"
  // expected-error @below {{has the unknown kind 'barrier'}}
  plan.collective "barrier" %x to %y groups [0, 1] of 2 type f32 nodes []
}

// -----

plan.program @main arena 0 {
  %x = plan.buffer input 0 size 16 "x"
  %y = plan.buffer output 0 size 16 "y"
  // expected-error @below {{has rank 0 in its groups twice}}
  plan.collective "all_reduce" by "sum" %x to %y groups [0, 0] of 2 type f32 nodes []
}

// -----

plan.program @main arena 0 {
  %x = plan.buffer input 0 size 16 "x"
  %y = plan.buffer output 0 size 16 "y"
  // expected-error @below {{takes 16 bytes and gives 16 in groups of 2}}
  plan.collective "all_gather" %x to %y groups [0, 1] of 2 type f32 nodes []
}

// -----

plan.program @main arena 0 {
  // expected-note @below {{the buffer}}
  %x = plan.buffer input 0 size 16 "x"
  %y = plan.buffer output 0 size 16 "y"
  // expected-error @below {{writes to an input}}
  plan.collective "all_reduce" by "sum" %y to %x groups [0, 1] of 2 type f32 nodes []
}

// -----

plan.program @main arena 0 {
  %y = plan.buffer output 0 size 16 "y"
  // expected-error @below {{writes 4 bytes to a buffer of 16}}
  plan.rank to %y
}
