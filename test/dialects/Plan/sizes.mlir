// RUN: heddle-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: plan.program @main
plan.program @main arena 256 {
  // CHECK: plan.buffer input 0 size 40 "x" {bytes = #size.expression<8 * rows>}
  %x = plan.buffer input 0 size 40 "x" {bytes = #size.expression<8 * rows>}
  %a = plan.buffer arena 0 size 40 ""
  %n = plan.buffer arena 64 size 4 ""
  %y = plan.buffer output 0 size 40 "y" {bytes = #size.expression<8 * rows>}
  // CHECK: plan.resize %{{.*}} to %{{.*}} nodes ["Relu_1"]
  plan.resize %x to %a nodes ["Relu_1"]
  // CHECK: plan.extent "rows" to
  plan.extent "rows" to %n
  plan.resize %a to %y nodes []
}

// -----

plan.program @both arena 0 {
  %x = plan.buffer input 0 size 40 "x" {bytes = #size.expression<8 * rows>}
  %y = plan.buffer output 0 size 40 "y" {bytes = #size.expression<8 * rows>}
  // expected-error @below {{is between buffers of one size at each call}}
  plan.resize %x to %y nodes []
}

// -----

plan.program @sizes arena 64 {
  %x = plan.buffer input 0 size 40 "x" {bytes = #size.expression<8 * rows>}
  %a = plan.buffer arena 0 size 32 ""
  // expected-error @below {{is between buffers of at most 40 and 32 bytes}}
  plan.resize %x to %a nodes []
}

// -----

plan.program @weight arena 64 {
  // expected-error @below {{it is no input, output or part of an arena}}
  %a = plan.buffer weight 0 size 32 "w" {bytes = #size.expression<8 * rows>}
}

// -----

plan.program @copied arena 64 {
  %x = plan.buffer input 0 size 40 "x" {bytes = #size.expression<8 * rows>}
  %a = plan.buffer arena 0 size 40 ""
  // expected-error @below {{copies between buffers of whose sizes a call chooses each by itself}}
  plan.copy %x to %a nodes []
}

// -----

plan.program @extent arena 64 {
  %a = plan.buffer arena 0 size 8 ""
  // expected-error @below {{writes 4 bytes to a buffer of 8}}
  plan.extent "rows" to %a
}

// -----

plan.program @placed arena 64 {
  // expected-error @below {{has no place for a call to choose: it is no part of an arena}}
  %x = plan.buffer input 0 size 40 "x" {offset = #size.expression<64 * rows>}
}
