// RUN: heddle-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: plan.program @main
plan.program @main arena 256 {
  // CHECK: plan.buffer input 0 size 40 "x" {bytes = #
  %x = plan.buffer input 0 size 40 "x" {bytes = affine_map<()[s0] -> (s0 * 8)>}
  %a = plan.buffer arena 0 size 40 ""
  %n = plan.buffer arena 64 size 4 ""
  %y = plan.buffer output 0 size 40 "y" {bytes = affine_map<()[s0] -> (s0 * 8)>}
  // CHECK: plan.resize %{{.*}} to %{{.*}} nodes ["Relu_1"]
  plan.resize %x to %a nodes ["Relu_1"]
  // CHECK: plan.extent 0 to
  plan.extent 0 to %n
  plan.resize %a to %y nodes []
}

// -----

plan.program @both arena 0 {
  %x = plan.buffer input 0 size 40 "x" {bytes = affine_map<()[s0] -> (s0 * 8)>}
  %y = plan.buffer output 0 size 40 "y" {bytes = affine_map<()[s0] -> (s0 * 8)>}
  // expected-error @below {{is between buffers of which not one has a size that the call chooses}}
  plan.resize %x to %y nodes []
}

// -----

plan.program @sizes arena 64 {
  %x = plan.buffer input 0 size 40 "x" {bytes = affine_map<()[s0] -> (s0 * 8)>}
  %a = plan.buffer arena 0 size 32 ""
  // expected-error @below {{is between buffers of at most 40 and 32 bytes}}
  plan.resize %x to %a nodes []
}

// -----

plan.program @arena arena 64 {
  // expected-error @below {{it is no input or output}}
  %a = plan.buffer arena 0 size 32 "" {bytes = affine_map<()[s0] -> (s0 * 8)>}
}

// -----

plan.program @map arena 0 {
  // expected-error @below {{instead of one function of symbols}}
  %x = plan.buffer input 0 size 40 "x" {bytes = affine_map<(d0) -> (d0 * 8)>}
}

// -----

plan.program @extent arena 64 {
  %a = plan.buffer arena 0 size 8 ""
  // expected-error @below {{writes 4 bytes to a buffer of 8}}
  plan.extent 0 to %a
}
