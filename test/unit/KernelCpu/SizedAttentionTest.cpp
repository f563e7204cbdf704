// Attention over extents that each call chooses, against the attention made for
// just those sizes.

#include "SizedKernels.h"

using namespace heddle::test;

namespace {

/// Two heads of depths 16 and 20 over at most 2 x 50 queries, and as many keys
/// or at most 90.
struct Attention {
  std::string queries = "sequence", keys = "sequence";
  /// [b, s, h, d]; else [b, h, s, d].
  bool headsInside = true;
  std::string flags, operands, arguments, types, maps;
  bool logSumExp = false;
};

std::string typeOf(const Attention &a, int64_t bound, const std::string &size,
                   const char *depth) {
  std::string positions = std::to_string(bound);
  return a.headsInside
             ? "tensor<2x" + positions + "x2x" + depth +
                   "xf32, #size.extents<batch, " + size + ", 2, " + depth + ">>"
             : "tensor<2x2x" + positions + "x" + depth +
                   "xf32, #size.extents<batch, 2, " + size + ", " + depth +
                   ">>";
}

std::string textOf(const Attention &a) {
  int64_t m = 50, n = a.keys == a.queries ? 50 : 90;
  std::string query = typeOf(a, m, a.queries, "16"),
              key = typeOf(a, n, a.keys, "16"),
              value = typeOf(a, n, a.keys, "20"),
              out = typeOf(a, m, a.queries, "20");
  auto map = [&](const std::string &row, const std::string &depth) {
    return "affine_map<(b, h, m, n, d, e) -> (b, " +
           (a.headsInside ? row + ", h, " : "h, " + row + ", ") + depth + ")>";
  };
  std::string results = "%0", types = out;
  if (a.logSumExp) {
    results = "%0, %1";
    types += ", tensor<2x2x50xf32, #size.extents<batch, 2, " + a.queries + ">>";
  }
  return "func.func @k(%q: " + query + ", %k: " + key + ", %v: " + value +
         a.arguments + ") -> (" + types + ") attributes {kernel.entry} {\n " +
         results + " = kernel.attention %q, %k, %v" + a.operands +
         " {extents = array<i64: 2, 2, 50, " + std::to_string(n) +
         ", 16, 20>, indexing_maps = [" + map("m", "d") + ", " + map("n", "d") +
         ", " + map("n", "e") + a.maps + ", " + map("m", "e") +
         "], scale = 3.0e-01 : f32" + a.flags + "} : " + query + ", " + key +
         ", " + value + a.types + " -> " + types + "\n return " + results +
         " : " + types + "\n}\n";
}

const std::vector<int64_t> batches = {0, 1, 2};
const std::vector<int64_t> lengths = {0, 1, 2, 7, 16, 17, 33, 49, 50};

/// Queries and keys of different numbers.
std::vector<Sizes> pairs() {
  std::vector<Sizes> all;
  for (int64_t queries : {0, 1, 9, 50})
    for (int64_t keys : {0, 1, 16, 33, 64, 90})
      all.push_back({{"batch", 2}, {"sequence", queries}, {"keys", keys}});
  return all;
}

TEST(SizedAttention, Self) {
  Attention a;
  checkSized(textOf(a), grid(batches, lengths), 1e-5);
  a.headsInside = false;
  a.logSumExp = true;
  checkSized(textOf(a), grid(batches, lengths), 1e-5);
}

TEST(SizedAttention, Across) {
  Attention a;
  a.keys = "keys";
  checkSized(textOf(a), pairs(), 1e-5);
}

TEST(SizedAttention, Masks) {
  Attention a;
  a.keys = "keys";
  a.operands = " mask %mask";
  // Of keys, for all queries.
  std::string type = "tensor<2x90xi1, #size.extents<batch, keys>>";
  a.arguments = ", %mask: " + type;
  a.types = ", " + type;
  a.maps = ", affine_map<(b, h, m, n, d, e) -> (b, n)>";
  checkSized(textOf(a), pairs(), 1e-5);
  // Of queries and keys, and of keys and queries.
  for (bool turned : {false, true}) {
    type = turned ? "tensor<90x50xf32, #size.extents<keys, sequence>>"
                  : "tensor<50x90xf32, #size.extents<sequence, keys>>";
    a.arguments = ", %mask: " + type;
    a.types = ", " + type;
    a.maps = turned ? ", affine_map<(b, h, m, n, d, e) -> (n, m)>"
                    : ", affine_map<(b, h, m, n, d, e) -> (m, n)>";
    checkSized(textOf(a), pairs(), 1e-5);
  }
}

TEST(SizedAttention, HeadsInColumns) {
  // As models of text have it: heads are columns of what a product gave, and a
  // mask of keys is there for each query.
  std::string in = "tensor<2x50x32xf32, #size.extents<batch, sequence, 32>>",
              mask = "tensor<2x1x50x50xf32, #size.extents<batch, 1, sequence, "
                     "sequence>>",
              out = "tensor<2x50x2x16xf32, #size.extents<batch, sequence, 2, "
                    "16>>",
              dims = "affine_map<(b, h, m, n, d, e) -> ";
  checkSized(
      "func.func @k(%q: " + in + ", %k: " + in + ", %v: " + in +
          ", %mask: " + mask + ") -> " + out +
          " attributes {kernel.entry} {\n %0 = kernel.attention %q, %k, "
          "%v mask %mask {extents = array<i64: 2, 2, 50, 50, 16, 16>, "
          "indexing_maps = [" +
          dims + "(b, m, h * 16 + d)>, " + dims + "(b, n, h * 16 + d)>, " +
          dims + "(b, n, h * 16 + e)>, " + dims + "(b, 0, m, n)>, " + dims +
          "(b, m, h, e)>], scale = 3.0e-01 : f32} : " + in + ", " + in + ", " +
          in + ", " + mask + " -> " + out + "\n return %0 : " + out + "\n}\n",
      grid(batches, lengths), 1e-5);
}

TEST(SizedAttention, Causal) {
  Attention a;
  a.flags = ", causal";
  checkSized(textOf(a), grid({2}, lengths), 1e-5);
  a.keys = "keys";
  checkSized(textOf(a), pairs(), 1e-5);
  a.flags = ", causal, window = 20 : i64, zero_nan_rows";
  checkSized(textOf(a), pairs(), 1e-5);
}

TEST(SizedAttention, Lengths) {
  // Lengths of 0 and 1 beside keys that a call counts.
  Attention a;
  a.keys = "keys";
  a.flags = ", zero_nan_rows";
  std::string type = "tensor<2xi32, #size.extents<batch>>";
  a.operands = " lengths %lengths";
  a.arguments = ", %lengths: " + type;
  a.types = " lengths " + type;
  a.maps = ", affine_map<(b, h, m, n, d, e) -> (b)>";
  checkSized(textOf(a), pairs(), 1e-5);
  a.flags += ", causal";
  checkSized(textOf(a), pairs(), 1e-5);
}

} // namespace
