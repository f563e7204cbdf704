// Concatenations of parts whose extents each call chooses, against the kernels
// made for just those sizes.

#include "SizedKernels.h"

using namespace heddle::test;

namespace {

/// A kernel that joins tensors of the types `parts` to one of type `whole`.
std::string joining(const std::vector<std::string> &parts,
                    const std::string &whole, int dimension) {
  std::string arguments, operands, types;
  for (size_t i = 0; i < parts.size(); ++i) {
    std::string comma = i ? ", " : "", name = "%p" + std::to_string(i);
    arguments += comma + name + ": " + parts[i];
    operands += comma + name;
    types += comma + parts[i];
  }
  return "func.func @k(" + arguments + ") -> " + whole +
         " attributes {kernel.entry} {\n %0 = kernel.concatenate " + operands +
         " {dimension = " + std::to_string(dimension) + " : i64} : (" + types +
         ") -> " + whole + "\n return %0 : " + whole + "\n}\n";
}

TEST(SizedConcatenations, Appended) {
  // Keys of earlier positions and those of one or three more, for each head.
  checkSized(joining({"tensor<4x3x90x16xf32, #size.extents<batch, 3, sequence, "
                      "16>>",
                      "tensor<4x3x3x16xf32, #size.extents<batch, 3, 3, 16>>"},
                     "tensor<4x3x93x16xf32, #size.extents<batch, 3, 3 + "
                     "sequence, 16>>",
                     2),
             grid({0, 1, 4}, {0, 1, 2, 63, 89, 90}));
}

TEST(SizedConcatenations, LongRuns) {
  // A row of a part is cut into several runs, the last of which may be whole.
  checkSized(joining({"tensor<2x70000xf32, #size.extents<batch, sequence>>",
                      "tensor<2x5xf32, #size.extents<batch, 5>>",
                      "tensor<2x70000xf32, #size.extents<batch, sequence>>"},
                     "tensor<2x140005xf32, #size.extents<batch, 5 + 2 * "
                     "sequence>>",
                     1),
             grid({1, 2}, {0, 1, 4096, 16384, 32768, 32769, 65536, 70000}));
}

TEST(SizedConcatenations, NarrowTypes) {
  for (std::string type : {"i1", "i8", "bf16", "f64"})
    checkSized(
        joining({"tensor<7x90x" + type + ", #size.extents<batch, sequence>>",
                 "tensor<4x90x" + type + ", #size.extents<4, sequence>>"},
                "tensor<11x90x" + type +
                    ", #size.extents<4 + batch, sequence>>",
                0),
        grid({0, 1, 7}, {0, 1, 33, 64, 90}));
}

} // namespace
