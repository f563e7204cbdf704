// RUN: heddle-opt %s --split-input-file --verify-diagnostics

plan.program @main arena 0 {
  %n = plan.buffer output 0 size 8 "n"
  // expected-error @below {{reads 4 bytes from a buffer of 8}}
  plan.count "n" from %n
}

// -----

plan.program @main arena 64 {
  %flag = plan.buffer arena 0 size 1 ""
  %n = plan.buffer output 0 size 4 "n"
  plan.loop condition {
  } while %flag do {
    // expected-error @below {{stands in a loop or a branch}}
    plan.count "n" from %n
  } nodes []
}

// -----

plan.program @main arena 0 devices ["cpu", "cuda:0"] {
  %n = plan.buffer output 0 size 4 "n"
  // expected-error @below {{is in a queue of cuda:0, which reads no counts}}
  plan.count "n" from %n queue 1
}
