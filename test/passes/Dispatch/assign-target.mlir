// RUN: heddle-opt %s --heddle-assign-target=target=x86-64-v4 | FileCheck %s
// RUN: heddle-opt %s --heddle-assign-target="target=x86-64-v4 spelled" | FileCheck %s --check-prefix=SPELLED
// RUN: heddle-opt %s --heddle-assign-target="target=x86-64-v4 spelled" | heddle-opt --heddle-assign-target | FileCheck %s --check-prefix=SPELLED
// RUN: not heddle-opt %s --heddle-assign-target 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not heddle-opt %s --heddle-assign-target=target=abacus 2>&1 | FileCheck %s --check-prefix=NONE

// CHECK: module attributes {heddle.target = "x86-64-v4"} {
// SPELLED: module attributes {heddle.target = {
// SPELLED-SAME: name = "x86-64-v4"
// NONE: error: no target to dispatch for: set 'heddle.target' on the module, by heddle-assign-target
module {
}
