// Kernels as text, put together from shapes.

#include "KernelText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <numeric>

using namespace heddle::test;

static std::string join(llvm::ArrayRef<int64_t> list, const char *separator) {
  return llvm::join(
      llvm::map_range(list,
                      [](int64_t value) { return std::to_string(value); }),
      separator);
}

ContractionCase heddle::test::matmul(int64_t m, int64_t n, int64_t k) {
  return {"m, n, k", {m, n, k}, "m, k", "n, k", "m, n",
          {m, k},    {n, k},    {m, n}, "ppr"};
}

ContractionCase heddle::test::withPanels(ContractionCase c,
                                         llvm::ArrayRef<int64_t> shape) {
  c.rhs = shape.vec();
  c.packed = true;
  return c;
}

ContractionCase heddle::test::packedMatmul(int64_t m, int64_t n, int64_t k) {
  return withPanels(matmul(m, n, k), {(n + 31) / 32, k, 32});
}

int64_t heddle::test::sizeOf(llvm::ArrayRef<int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                         std::multiplies<int64_t>());
}

std::string heddle::test::tensorText(llvm::ArrayRef<int64_t> shape,
                                     llvm::StringRef element) {
  return "tensor<" + join(shape, "x") + (shape.empty() ? "" : "x") +
         element.str() + ">";
}

std::string heddle::test::textOf(const ContractionCase &c,
                                 llvm::StringRef element,
                                 llvm::StringRef result,
                                 llvm::ArrayRef<int64_t> limited) {
  std::string iterators, arguments, limits, attributes;
  for (char kind : c.reductions)
    iterators += std::string(iterators.empty() ? "" : ", ") +
                 (kind == 'r' ? "\"reduction\"" : "\"parallel\"");
  for (int64_t dim : limited) {
    std::string name = "%l" + std::to_string(dim);
    arguments += ", " + name + ": index";
    limits += (limits.empty() ? "" : ", ") + name;
  }
  if (!limited.empty()) {
    limits = " limits(" + limits + ")";
    attributes = ", limited = array<i64: " + join(limited, ", ") + ">";
  }
  if (c.packed)
    attributes += ", rhs_packing = \"* k n -> * n/32 k n%32\"";
  return llvm::formatv(
             "func.func @k(%a: {0}, %b: {1}{2}) -> {3} attributes "
             "{{kernel.entry} {{\n %0 = kernel.contract %a, %b{4} {{extents = "
             "array<i64: {5}>, indexing_maps = [affine_map<({6}) -> ({7})>, "
             "affine_map<({6}) -> ({8})>, affine_map<({6}) -> ({9})>], "
             "iterator_types = [{10}]{11}} : {0}, {1} -> {3}\n return %0 : "
             "{3}\n}\n",
             tensorText(c.lhs, element), tensorText(c.rhs, element), arguments,
             tensorText(c.out, result), limits, join(c.extents, ", "), c.dims,
             c.lhsMap, c.rhsMap, c.outMap, iterators, attributes)
      .str();
}
