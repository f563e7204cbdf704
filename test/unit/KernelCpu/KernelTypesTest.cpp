// Every combination of types that a processor says it takes has a kernel that
// is right at the ends of the types: signs, and sums wider than factors.

#include "KernelHarness.h"
#include "heddle/Target/CpuTarget.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace heddle;
using namespace heddle::test;

namespace {
constexpr int64_t rows = 3, columns = 18, depth = 5;

bool isUnsigned(ElementKind kind) {
  return elementClass(kind) == ElementClass::Unsigned;
}

/// The type of tensors that hold elements of `kind`.
std::string storage(ElementKind kind) {
  return isUnsigned(kind) ? "i" + std::to_string(bitWidth(kind))
                          : elementName(kind).str();
}

std::string typesOf(const KernelTypes &types) {
  std::string text;
  if (isUnsigned(types.lhs))
    text += ", lhs_type = " + elementName(types.lhs).str();
  if (isUnsigned(types.rhs))
    text += ", rhs_type = " + elementName(types.rhs).str();
  return text;
}

/// [3, 5] times [5, 18].
std::string contraction(const KernelTypes &types) {
  return llvm::formatv(
             "func.func @k(%a: tensor<3x5x{0}>, %b: tensor<5x18x{1}>) -> "
             "tensor<3x18x{2}> attributes {{kernel.entry} {{\n %0 = "
             "kernel.contract %a, %b {{extents = array<i64: 3, 18, 5>, "
             "indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, "
             "n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], "
             "iterator_types = [\"parallel\", \"parallel\", \"reduction\"]{3}} "
             ": tensor<3x5x{0}>, tensor<5x18x{1}> -> tensor<3x18x{2}>\n return "
             "%0 : tensor<3x18x{2}>\n}\n",
             storage(types.lhs), storage(types.rhs), storage(types.accumulator),
             typesOf(types))
      .str();
}

/// The same as a convolution of one point.
std::string convolution(const KernelTypes &types) {
  return llvm::formatv(
             "func.func @k(%a: tensor<1x3x5x{0}>, %b: tensor<1x5x18x{1}>) -> "
             "tensor<1x3x18x{2}> attributes {{kernel.entry} {{\n %0 = "
             "kernel.convolution %a, %b {{strides = array<i64: 1>, padding = "
             "array<i64: 0, 0>, lhs_dilation = array<i64: 1>, rhs_dilation = "
             "array<i64: 1>, groups = 1 : i64{3}} : tensor<1x3x5x{0}>, "
             "tensor<1x5x18x{1}> -> tensor<1x3x18x{2}>\n return %0 : "
             "tensor<1x3x18x{2}>\n}\n",
             storage(types.lhs), storage(types.rhs), storage(types.accumulator),
             typesOf(types))
      .str();
}

/// Large enough to show a sign or a sum that is too narrow, and what all
/// formats hold.
double valueOf(ElementKind kind) {
  switch (elementClass(kind)) {
  case ElementClass::Boolean:
    return 1;
  case ElementClass::Unsigned:
    return bitWidth(kind) == 8 ? 255 : 20000;
  case ElementClass::Signed:
    return bitWidth(kind) == 8 ? -128 : -20000;
  default:
    return -192; // Its square times five is beyond f16.
  }
}

std::vector<char> filled(ElementKind kind, int64_t count) {
  std::vector<char> bytes(count * storedBytes(kind));
  if (elementClass(kind) == ElementClass::Float)
    storeElements(kind, std::vector<double>(count, valueOf(kind)).data(), count,
                  bytes.data());
  else
    storeElements(kind, std::vector<int64_t>(count, valueOf(kind)).data(),
                  count, bytes.data());
  return bytes;
}

TEST(KernelTypes, EachHasAKernel) {
  if (!canRun("x86-64-v3"))
    GTEST_SKIP() << "this host does not run x86-64-v3";
  auto target = findTarget("x86-64-v3");
  for (const KernelTypes &types : target->dispatchFacts().kernels) {
    if (types.family == KernelFamily::Attention)
      continue; // AttentionTest.cpp
    // Integers beside floats are weights with scales: scaled-weights.test.
    auto isFloat = [](ElementKind kind) {
      return elementClass(kind) == ElementClass::Float;
    };
    if (isFloat(types.lhs) != isFloat(types.rhs))
      continue;
    std::string text = types.family == KernelFamily::Contraction
                           ? contraction(types)
                           : convolution(types);
    SCOPED_TRACE(text);
    auto kernel = Kernel::compile(text, "x86-64-v3");
    ASSERT_TRUE(kernel);
    auto lhs = filled(types.lhs, rows * depth),
         rhs = filled(types.rhs, depth * columns),
         out = filled(types.accumulator, rows * columns);
    kernel->run({lhs.data(), rhs.data(), out.data()});
    std::vector<double> sums(rows * columns);
    loadElements(types.accumulator, out.data(), sums.size(), sums.data());
    for (double sum : sums)
      ASSERT_EQ(sum, depth * valueOf(types.lhs) * valueOf(types.rhs));
  }
}
} // namespace
