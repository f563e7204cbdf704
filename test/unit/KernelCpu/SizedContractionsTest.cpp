// Contractions over extents that each call chooses, against the contractions
// made for just those sizes.

#include "KernelText.h"
#include "SizedKernels.h"
#include "llvm/Support/FormatVariadic.h"

using namespace heddle::test;

namespace {

/// The true extents of a contraction's tensors as text, empty where the shape
/// says them.
struct TrueExtents {
  std::string lhs, rhs, out;
};

std::string typeOf(llvm::ArrayRef<int64_t> shape, const std::string &extents,
                   const std::string &element = "f32") {
  std::string text = tensorText(shape, element);
  if (!extents.empty())
    text.insert(text.size() - 1, ", #size.extents<" + extents + ">");
  return text;
}

/// The kernel of a contraction of `element`; `epilogue`, if any, makes `%r` of
/// `%0`.
std::string textOf(const ContractionCase &c, const TrueExtents &extents,
                   const std::string &epilogue = "",
                   const std::string &arguments = "",
                   const std::string &element = "f32") {
  std::string lhs = typeOf(c.lhs, extents.lhs, element),
              rhs = typeOf(c.rhs, extents.rhs, element),
              out = typeOf(c.out, extents.out), iterators, numbers;
  for (char kind : c.reductions)
    iterators += std::string(iterators.empty() ? "" : ", ") +
                 (kind == 'r' ? "\"reduction\"" : "\"parallel\"");
  for (int64_t extent : c.extents)
    numbers += (numbers.empty() ? "" : ", ") + std::to_string(extent);
  std::string packing =
      c.packed ? ", rhs_packing = \"* k n -> * n/32 k n%32\"" : "";
  std::string maps;
  for (const std::string &results : {c.lhsMap, c.rhsMap, c.outMap})
    maps += (maps.empty() ? "affine_map<(" : ", affine_map<(") + c.dims +
            ") -> (" + results + ")>";
  return "func.func @k(%a: " + lhs + ", %b: " + rhs + arguments + ") -> " +
         out + " attributes {kernel.entry} {\n %0 = kernel.contract %a, %b " +
         "{extents = array<i64: " + numbers + ">, indexing_maps = [" + maps +
         "], iterator_types = [" + iterators + "]" + packing + "} : " + lhs +
         ", " + rhs + " -> " + out + "\n" + epilogue + " return " +
         (epilogue.empty() ? "%0" : "%r") + " : " + out + "\n}\n";
}

std::vector<Sizes> sizes(const char *name, llvm::ArrayRef<int64_t> values) {
  std::vector<Sizes> all;
  for (int64_t value : values)
    all.push_back({{name, value}});
  return all;
}

TEST(SizedContractions, Rows) {
  std::vector<int64_t> rows = {0,  1,  2,  3,  4,  5,  6,  7, 8,
                               11, 13, 14, 15, 28, 29, 49, 50};
  TrueExtents extents{"rows, 19", "", "rows, 70"};
  checkSized(textOf(packedMatmul(50, 70, 19), extents), sizes("rows", rows),
             1e-6);
  checkSized(textOf(matmul(50, 70, 19), extents), sizes("rows", rows), 1e-6);
  // A single row at most.
  checkSized(textOf(packedMatmul(1, 70, 19), extents), sizes("rows", {0, 1}),
             1e-6);
  // Rows of two dimensions.
  ContractionCase c = {
      "b, m, n, k", {3, 17, 40, 19}, "b, m, k",   "n, k", "b, m, n",
      {3, 17, 19},  {2, 19, 32},     {3, 17, 40}, "pppr", true};
  checkSized(textOf(c, {"batch, sequence, 19", "", "batch, sequence, 40"}),
             grid({0, 1, 3}, {0, 1, 16, 17}), 1e-6);
}

TEST(SizedContractions, DeepRows) {
  std::vector<int64_t> rows = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 25, 60};
  // Several chains, with and without steps that are left over; then several
  // visits of the sums' memory.
  for (int64_t depth : {192, 195, 198, 9000})
    checkSized(textOf(packedMatmul(60, 70, depth),
                      {"rows, " + std::to_string(depth), "", "rows, 70"}),
               sizes("rows", rows), depth > 1000 ? 1e-4 : 1e-5);
  // Columns that do not fill vectors are stored one by one.
  ContractionCase c = {"m, n, p, k", {60, 5, 7, 192}, "m, k",
                       "n, p, k",    "m, n, p",       {60, 192},
                       {5, 7, 192},  {60, 5, 7},      "pppr"};
  checkSized(textOf(c, {"rows, 192", "", "rows, 5, 7"}), sizes("rows", rows),
             1e-5);
}

TEST(SizedContractions, Columns) {
  // Columns in memory, [n, k] and [k, n], for few rows and many.
  for (int64_t rows : {3, 60})
    for (bool transposed : {false, true}) {
      ContractionCase c = matmul(rows, 150, 19);
      TrueExtents extents{"", "columns, 19",
                          std::to_string(rows) + ", columns"};
      if (transposed) {
        c.rhs = {19, 150};
        c.rhsMap = "k, n";
        extents.rhs = "19, columns";
      }
      checkSized(
          textOf(c, extents),
          sizes("columns", {0, 1, 15, 16, 17, 31, 32, 33, 64, 128, 149, 150}),
          1e-6);
    }
}

TEST(SizedContractions, Sums) {
  for (int64_t depth : {20, 140, 300}) {
    std::string d = std::to_string(depth);
    for (int64_t rows : {9, 60})
      checkSized(textOf(matmul(rows, 40, depth),
                        {std::to_string(rows) + ", depth", "40, depth", ""}),
                 sizes("depth", {0, 1, 3, 4, 19, depth - 1, depth}), 1e-5);
  }
  // In several visits of the sums' memory.
  checkSized(textOf(matmul(60, 33, 9000), {"60, depth", "33, depth", ""}),
             sizes("depth", {0, 1, 700, 8999, 9000}), 1e-4);
  // The sum over rows of the left-hand side.
  ContractionCase c = {"m, n, k", {21, 40, 90}, "k, m",   "k, n", "m, n",
                       {90, 21},  {90, 40},     {21, 40}, "ppr"};
  checkSized(textOf(c, {"depth, 21", "depth, 40", ""}),
             sizes("depth", {0, 1, 17, 90}), 1e-5);
  // Over two dimensions.
  ContractionCase two = {"m, n, j, k", {21, 40, 6, 5}, "m, j, k",
                         "n, j, k",    "m, n",         {21, 6, 5},
                         {40, 6, 5},   {21, 40},       "pprr"};
  checkSized(textOf(two, {"21, j, 5", "40, j, 5", ""}),
             sizes("j", {0, 1, 5, 6}), 1e-5);
  checkSized(textOf(two, {"21, 6, k", "40, 6, k", ""}),
             sizes("k", {0, 1, 4, 5}), 1e-5);
}

TEST(SizedContractions, All) {
  std::vector<Sizes> all;
  for (int64_t m : {0, 1, 9, 50})
    for (int64_t n : {0, 1, 33, 70})
      for (int64_t k : {0, 7, 19})
        all.push_back({{"m", m}, {"n", n}, {"k", k}});
  checkSized(textOf(matmul(50, 70, 19), {"m, k", "n, k", "m, n"}), all, 1e-5);
}

TEST(SizedContractions, Attention) {
  // Scores and values of heads that lie beside each other.
  ContractionCase scores = {"b, h, m, n, d", {2, 3, 40, 40, 16}, "b, m, h, d",
                            "b, n, h, d",    "b, h, m, n",       {2, 40, 3, 16},
                            {2, 40, 3, 16},  {2, 3, 40, 40},     "ppppr"};
  checkSized(textOf(scores, {"batch, sequence, 3, 16", "batch, sequence, 3, 16",
                             "batch, 3, sequence, sequence"}),
             grid({0, 1, 2}, {0, 1, 2, 15, 17, 33, 40}), 1e-5);
  ContractionCase values = {"b, h, m, d, n", {2, 3, 40, 16, 40}, "b, h, m, n",
                            "b, n, h, d",    "b, m, h, d",       {2, 3, 40, 40},
                            {2, 40, 3, 16},  {2, 40, 3, 16},     "ppppr"};
  checkSized(
      textOf(values, {"batch, 3, sequence, sequence", "batch, sequence, 3, 16",
                      "batch, sequence, 3, 16"}),
      grid({0, 1, 2}, {0, 1, 2, 15, 17, 33, 40}), 1e-5);
}

/// Of bf16, whose terms are multiplied in pairs.
std::string pairsOf(const ContractionCase &c, const TrueExtents &extents) {
  return textOf(c, extents, "", "", "bf16");
}

TEST(SizedContractions, PairsOfActivations) {
  // Depths that are even or odd, of one term, and none.
  for (int64_t rows : {3, 60})
    for (bool transposed : {false, true}) {
      ContractionCase c = matmul(rows, 40, 301);
      TrueExtents extents{std::to_string(rows) + ", depth", "40, depth", ""};
      if (transposed) {
        c.rhs = {301, 40};
        c.rhsMap = "k, n";
        extents.rhs = "depth, 40";
      }
      checkSized(pairsOf(c, extents),
                 sizes("depth", {0, 1, 2, 3, 20, 33, 300, 301}), 1e-5);
    }
  checkSized(pairsOf(matmul(60, 33, 9001), {"60, depth", "33, depth", ""}),
             sizes("depth", {0, 1, 700, 8999, 9000, 9001}), 1e-4);
  std::vector<Sizes> all;
  for (int64_t m : {0, 1, 9, 50})
    for (int64_t n : {0, 1, 33, 70})
      for (int64_t k : {0, 7, 18, 19})
        all.push_back({{"m", m}, {"n", n}, {"k", k}});
  checkSized(pairsOf(matmul(50, 70, 19), {"m, k", "n, k", "m, n"}), all, 1e-5);
  checkSized(
      pairsOf({"m, k", {70, 9}, "m, k", "k", "m", {70, 9}, {9}, {70}, "pr"},
              {"m, k", "k", "m"}),
      {{{"m", 0}, {"k", 9}}, {{"m", 33}, {"k", 4}}, {{"m", 70}, {"k", 9}}},
      1e-6);
}

TEST(SizedContractions, OneColumn) {
  // The other way round, where rows fill vectors.
  checkSized(
      textOf({"m, k", {70, 9}, "m, k", "k", "m", {70, 9}, {9}, {70}, "pr"},
             {"m, k", "k", "m"}),
      {{{"m", 0}, {"k", 9}},
       {{"m", 1}, {"k", 9}},
       {{"m", 33}, {"k", 4}},
       {{"m", 70}, {"k", 0}},
       {{"m", 70}, {"k", 9}}},
      1e-6);
}

TEST(SizedContractions, Epilogue) {
  std::string out = "tensor<50x70xf32, #size.extents<rows, 70>>";
  for (const char *math : {"arith.maximumf %s, %w : f32", "math.tanh %s : f32"})
    checkSized(
        textOf(packedMatmul(50, 70, 19), {"rows, 19", "", "rows, 70"},
               llvm::formatv(
                   " %e = tensor.empty() : {0}\n"
                   " %r = linalg.generic {{indexing_maps = [affine_map<(m, n) "
                   "-> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) "
                   "-> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types "
                   "= [\"parallel\", \"parallel\"]} ins(%0, %bias, %other : "
                   "{0}, tensor<70xf32>, {0}) outs(%e : {0}) {{\n"
                   "^bb0(%x: f32, %y: f32, %w: f32, %o: f32):\n"
                   "  %s = arith.addf %x, %y : f32\n  %t = {1}\n"
                   "  %u = arith.addf %t, %w : f32\n  linalg.yield %u : f32\n"
                   "} -> {0}\n",
                   out, math)
                   .str(),
               ", %bias: tensor<70xf32>, %other: " + out),
        sizes("rows", {0, 1, 3, 6, 7, 14, 20, 50}), 1e-5);
}

/// Rows of two dimensions, with a bias of `bias` and what is added.
std::string twoDims(const std::string &bias, const std::string &biasMap,
                    const std::string &factor) {
  ContractionCase c = {
      "b, m, n, k", {3, 17, 40, 19}, "b, m, k",   "n, k", "b, m, n",
      {3, 17, 19},  {2, 19, 32},     {3, 17, 40}, "pppr", true};
  std::string out = "tensor<3x17x40xf32, #size.extents<batch, sequence, 40>>";
  return textOf(
      c, {"batch, sequence, 19", "", "batch, sequence, 40"},
      llvm::formatv(
          " %e = tensor.empty() : {0}\n %r = linalg.generic {{indexing_maps = "
          "[affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> "
          "({2})>, "
          "affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, "
          "n)>], iterator_types = [\"parallel\", \"parallel\", "
          "\"parallel\"]} ins(%0, %bias, %other : {0}, {1}, {0}) outs(%e : "
          "{0}) {{\n^bb0(%x: f32, %y: f32, %w: f32, %o: f32):\n"
          "  %s = arith.addf %x, %y : f32\n{3}"
          "  %u = arith.addf %t, %w : f32\n  linalg.yield %u : f32\n} -> "
          "{0}\n",
          out, bias, biasMap, factor)
          .str(),
      ", %bias: " + bias + ", %other: " + out);
}

TEST(SizedContractions, RowsOfTwoDimensions) {
  std::vector<Sizes> all = grid({0, 1, 3}, {0, 1, 5, 16, 17});
  std::string squared = "  %t = arith.mulf %s, %s : f32\n";
  // All that has rows has both dimensions, in this order.
  checkSized(twoDims("tensor<40xf32>", "n", squared), all, 1e-5);
  // One of the two alone; the other way round; a row's own number.
  checkSized(twoDims("tensor<17x40xf32, #size.extents<sequence, 40>>", "m, n",
                     squared),
             all, 1e-5);
  checkSized(twoDims("tensor<17x3x40xf32, #size.extents<sequence, batch, 40>>",
                     "m, b, n", squared),
             all, 1e-5);
  std::string number = "  %i = linalg.index {0} : index\n"
                       "  %j = arith.index_cast %i : index to i32\n"
                       "  %f = arith.sitofp %j : i32 to f32\n"
                       "  %t = arith.mulf %s, %f : f32\n";
  for (int loop : {0, 1, 2})
    checkSized(twoDims("tensor<40xf32>", "n",
                       llvm::formatv(number.c_str(), loop).str()),
               all, 1e-5);
}

} // namespace
