// RUN: heddle-opt %s --verify-diagnostics --heddle-tile-contractions

// expected-error @below {{no graphics processor to compile kernels for: set 'heddle.target' on the module}}
module {
}
