// Attention of many shapes against sums in double.

#include "KernelHarness.h"
#include "KernelText.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace heddle::test;

namespace {

enum class Mask { None, Bool, Float };

struct Case {
  int64_t batch, heads, keyHeads, m, n, d, e;
  Mask mask = Mask::None;
  bool causal = false;
  /// Heads inside positions, [b, s, h, d]; else [b, h, s, d].
  bool headsInside = true;
  bool zeroNanRows = false;
  /// How many keys there are in the first batch element; each next one has
  /// three fewer. Negative for all.
  int64_t length = -1;
  /// 0 for none.
  int64_t window = 0;
  bool sink = false, logSumExp = false;
};

int64_t lengthOf(const Case &c, int64_t batch) {
  return c.length < 0 ? c.n : c.length - 3 * batch;
}

std::string flagsOf(const Case &c) {
  return std::string(c.causal ? ", causal" : "") +
         (c.zeroNanRows ? ", zero_nan_rows" : "") +
         (c.window ? ", window = " + std::to_string(c.window) + " : i64" : "");
}

/// With h = g * groupSize + s: several query heads g share a key head.
std::string textOf(const Case &c) {
  int64_t shared = c.heads / c.keyHeads;
  auto tensor = [&](int64_t rows, int64_t heads, int64_t depth) {
    return c.headsInside ? tensorText({c.batch, rows, heads, depth})
                         : tensorText({c.batch, heads, rows, depth});
  };
  auto map = [&](const char *row, const char *depth, bool isKey) {
    std::string head = isKey ? "g" : "g * " + std::to_string(shared) + " + s";
    return c.headsInside ? llvm::formatv("affine_map<(b, g, s, m, n, d, e) -> "
                                         "(b, {0}, {1}, {2})>",
                                         row, head, depth)
                               .str()
                         : llvm::formatv("affine_map<(b, g, s, m, n, d, e) -> "
                                         "(b, {1}, {0}, {2})>",
                                         row, head, depth)
                               .str();
  };
  std::string query = tensor(c.m, c.heads, c.d),
              key = tensor(c.n, c.keyHeads, c.d),
              value = tensor(c.n, c.keyHeads, c.e);
  std::string out = tensorText({c.batch, c.m, c.keyHeads, shared, c.e});
  std::string mask, maskArgument, maskType, maskMap;
  if (c.mask != Mask::None) {
    std::string type = c.mask == Mask::Bool
                           ? tensorText({c.batch, 1, 1, c.n}, "i1")
                           : tensorText({c.m, c.n});
    mask = " mask %mask";
    maskArgument = ", %mask: " + type;
    maskType = ", " + type;
    maskMap = c.mask == Mask::Bool
                  ? ", affine_map<(b, g, s, m, n, d, e) -> (b, 0, 0, n)>"
                  : ", affine_map<(b, g, s, m, n, d, e) -> (m, n)>";
  }
  std::string operands, more, moreTypes;
  if (c.length >= 0) {
    std::string type = tensorText(c.batch, "i32");
    operands += " lengths %lengths";
    more += ", %lengths: " + type;
    moreTypes += " lengths " + type;
    maskMap += ", affine_map<(b, g, s, m, n, d, e) -> (b)>";
  }
  if (c.sink) {
    std::string type = tensorText(c.heads);
    operands += " sink %sink";
    more += ", %sink: " + type;
    moreTypes += " sink " + type;
    maskMap += llvm::formatv(
        ", affine_map<(b, g, s, m, n, d, e) -> (g * {0} + s)>", shared);
  }
  std::string results = "%0", types = out, written = out;
  if (c.logSumExp) {
    std::string type = tensorText({c.batch, c.keyHeads, shared, c.m});
    results += ", %1";
    types += ", " + type;
    written = "(" + types + ")";
  }
  return llvm::formatv(
             "func.func @k(%q: {0}, %k: {1}, %v: {2}{3}) -> {4} attributes "
             "{{kernel.entry} {{\n {5} = kernel.attention %q, %k, %v{6} "
             "{{extents = array<i64: {7}, {8}, {9}, {10}, {11}, {12}, {13}>, "
             "indexing_maps = [{14}, {15}, {16}{17}, affine_map<(b, g, s, m, "
             "n, d, e) -> (b, m, g, s, e)>], scale = 3.0e-01 : f32{18}} : {0}, "
             "{1}, {2}{19} -> {20}\n return {5} : {20}\n}\n",
             query, key, value, maskArgument + more, written, results,
             mask + operands, c.batch, c.keyHeads, shared, c.m, c.n, c.d, c.e,
             map("m", "d", false), map("n", "d", true), map("n", "e", true),
             maskMap, flagsOf(c), maskType + moreTypes, types)
      .str();
}

void check(const Case &c) {
  auto q = randomValues(c.batch * c.m * c.heads * c.d, 1);
  auto k = randomValues(c.batch * c.n * c.keyHeads * c.d, 2);
  auto v = randomValues(c.batch * c.n * c.keyHeads * c.e, 3);
  auto bias = randomValues(c.m * c.n, 4);
  std::vector<char> keep(c.batch * c.n);
  for (size_t i = 0; i < keep.size(); ++i)
    keep[i] = i % 5 != 3;
  int64_t shared = c.heads / c.keyHeads;

  auto at = [&](int64_t b, int64_t row, int64_t head, int64_t rows,
                int64_t heads, int64_t depth, int64_t i) {
    return c.headsInside ? ((b * rows + row) * heads + head) * depth + i
                         : ((b * heads + head) * rows + row) * depth + i;
  };
  for (int64_t b = 0; b < c.batch; ++b)
    for (int64_t n = std::max<int64_t>(lengthOf(c, b), 0); n < c.n; ++n)
      for (int64_t head = 0; head < c.keyHeads; ++head) {
        for (int64_t i = 0; i < c.d; ++i)
          k[at(b, n, head, c.n, c.keyHeads, c.d, i)] = NAN;
        for (int64_t i = 0; i < c.e; ++i)
          v[at(b, n, head, c.n, c.keyHeads, c.e, i)] = NAN;
      }
  auto sink = randomValues(c.heads, 5);
  std::vector<int32_t> lengths;
  for (int64_t b = 0; b < c.batch; ++b)
    lengths.push_back(lengthOf(c, b));
  std::vector<double> wanted, wantedLogarithms(c.batch * c.heads * c.m);
  for (int64_t b = 0; b < c.batch; ++b)
    for (int64_t row = 0; row < c.m; ++row)
      for (int64_t head = 0; head < c.heads; ++head) {
        int64_t keyHead = head / shared;
        std::vector<double> score(c.n);
        double largest = -INFINITY, sum = 0;
        for (int64_t n = 0; n < c.n; ++n) {
          for (int64_t i = 0; i < c.d; ++i)
            score[n] += double(q[at(b, row, head, c.m, c.heads, c.d, i)]) *
                        k[at(b, n, keyHead, c.n, c.keyHeads, c.d, i)];
          score[n] *= 0.3f;
          if (c.mask == Mask::Float)
            score[n] += bias[row * c.n + n];
          int64_t length = std::clamp<int64_t>(lengthOf(c, b), 0, c.n);
          int64_t position = row + length - c.m;
          if ((c.mask == Mask::Bool && !keep[b * c.n + n]) || n >= length ||
              (c.causal && n > position) ||
              (c.window && position - n >= c.window))
            score[n] = -INFINITY;
          largest = std::max(largest, score[n]);
        }
        if (c.sink) {
          largest = std::max<double>(largest, sink[head]);
          sum = std::exp(sink[head] - largest);
        }
        for (double &s : score)
          sum += s = std::exp(s - largest);
        double &logarithm = wantedLogarithms[(b * c.heads + head) * c.m + row];
        logarithm = largest + std::log(sum);
        if (c.zeroNanRows && std::isnan(logarithm))
          logarithm = -INFINITY;
        if (c.zeroNanRows && std::isnan(sum)) {
          std::fill(score.begin(), score.end(), 0);
          sum = 1;
        }
        for (int64_t i = 0; i < c.e; ++i) {
          double total = 0;
          for (int64_t n = 0; n < std::min(c.n, lengthOf(c, b)); ++n)
            total += score[n] * v[at(b, n, keyHead, c.n, c.keyHeads, c.e, i)];
          wanted.push_back(total / sum);
        }
      }
  for (const char *machine : {"x86-64-v3", "x86-64-v4"}) {
    if (!canRun(machine))
      continue;
    SCOPED_TRACE(machine);
    auto kernel = Kernel::compile(textOf(c), machine);
    ASSERT_TRUE(kernel);
    std::vector<float> first;
    for (int64_t chunk : {0, 1, 3}) {
      std::vector<float> out(wanted.size() + 64, 77);
      std::vector<void *> buffers = {q.data(), k.data(), v.data()};
      if (c.mask == Mask::Bool)
        buffers.push_back(keep.data());
      if (c.mask == Mask::Float)
        buffers.push_back(bias.data());
      if (c.length >= 0)
        buffers.push_back(lengths.data());
      if (c.sink)
        buffers.push_back(sink.data());
      std::vector<float> logarithms(wantedLogarithms.size() + 64, 77);
      buffers.push_back(out.data());
      if (c.logSumExp)
        buffers.push_back(logarithms.data());
      kernel->run(buffers, chunk, chunk == 3);
      for (int64_t i = 0; i < 64; ++i)
        ASSERT_EQ(out[wanted.size() + i], 77) << "past the end, " << i;
      for (size_t i = 0; c.logSumExp && i < wantedLogarithms.size(); ++i) {
        double logarithm = wantedLogarithms[i];
        if (std::isnan(logarithm))
          ASSERT_TRUE(std::isnan(logarithms[i])) << "at " << i;
        else if (std::isinf(logarithm))
          ASSERT_EQ(logarithms[i], logarithm) << "at " << i;
        else
          ASSERT_NEAR(logarithms[i], logarithm, 1e-5) << "at " << i;
      }
      for (int64_t i = 0; c.logSumExp && i < 64; ++i)
        ASSERT_EQ(logarithms[wantedLogarithms.size() + i], 77);
      if (first.empty()) {
        first = out;
        for (size_t i = 0; i < wanted.size(); ++i) {
          if (std::isnan(wanted[i]))
            ASSERT_TRUE(std::isnan(out[i])) << "at " << i << "\n" << textOf(c);
          else
            ASSERT_NEAR(out[i], wanted[i], 2e-6 * std::sqrt(double(c.n)))
                << "at " << i << " of\n"
                << textOf(c);
        }
        continue;
      }
      ASSERT_EQ(memcmp(out.data(), first.data(), out.size() * sizeof(float)), 0)
          << "depends on how the grid is split";
    }
  }
}

TEST(Attention, Shapes) {
  for (int64_t m : {1, 16, 33})
    for (int64_t n : {1, 32, 77})
      check({1, 2, 2, m, n, 16, 24});
  check({1, 3, 3, 128, 128, 64, 64});
  check({1, 1, 1, 300, 300, 8, 40, Mask::None, false, false});
}

TEST(Attention, SharedKeys) {
  check({2, 6, 2, 12, 40, 16, 16});
  check({1, 4, 1, 1, 70, 32, 32, Mask::None, false, false});
}

TEST(Attention, Masks) {
  check({2, 2, 2, 20, 45, 16, 16, Mask::Bool});
  check({2, 2, 2, 20, 45, 16, 16, Mask::Float});
  check({2, 2, 2, 1, 64, 16, 16, Mask::Bool, false, false});
}

TEST(Attention, Causal) {
  for (int64_t m : {1, 9, 130})
    check({1, 2, 2, m, 130, 16, 16, Mask::None, true});
  check({1, 2, 2, 70, 70, 16, 16, Mask::Float, true});
  // The first rows see nothing.
  check({1, 2, 2, 50, 33, 16, 16, Mask::None, true});
  Case guarded = {1, 2, 2, 50, 33, 16, 16, Mask::None, true};
  guarded.zeroNanRows = true;
  check(guarded);
}

Case with(Case c, int64_t length, int64_t window, bool sink, bool logSumExp,
          bool zeroNanRows = false) {
  c.length = length;
  c.window = window;
  c.sink = sink;
  c.logSumExp = logSumExp;
  c.zeroNanRows = zeroNanRows;
  return c;
}

// What lies beyond the keys is not a number here.
TEST(Attention, Lengths) {
  Case plain = {3, 2, 2, 20, 77, 16, 24};
  for (int64_t length : {77, 64, 40, 9, 7, 1, 90})
    check(with(plain, length, 0, false, false));
  Case causal = {2, 2, 1, 33, 130, 16, 16, Mask::None, true};
  for (int64_t length : {130, 97, 33, 20, 4})
    check(with(causal, length, 0, false, false));
  check(with(causal, 20, 0, false, true, /*zeroNanRows=*/true));
  // One query against a cache.
  Case decode = {4, 4, 2, 1, 200, 32, 32, Mask::None, true, false};
  check(with(decode, 150, 0, false, true));
}

TEST(Attention, Window) {
  Case causal = {1, 2, 2, 100, 100, 16, 16, Mask::None, true};
  for (int64_t window : {1, 5, 32, 33, 99, 1000})
    check(with(causal, -1, window, false, false));
  // Later keys count without causal; more keys than queries, and fewer.
  check(with({1, 2, 2, 40, 100, 16, 16}, -1, 8, false, false));
  check(with({1, 2, 2, 50, 33, 16, 16, Mask::Float}, -1, 8, false, true));
  check(with({1, 2, 2, 300, 300, 16, 40, Mask::None, true}, -1, 40, false,
             false));
  check(with({3, 2, 1, 30, 90, 16, 16, Mask::Bool, true}, 70, 11, true, true));
}

TEST(Attention, SinkAndLogarithms) {
  check(with({2, 6, 2, 12, 40, 16, 16}, -1, 0, true, true));
  check(with({2, 2, 2, 20, 45, 16, 16, Mask::Float}, -1, 0, false, true));
  // Rows that see nothing weigh zero beside a sink, and are NaN without.
  check(with({1, 2, 2, 50, 33, 16, 16, Mask::None, true}, -1, 0, true, true));
  check(with({1, 2, 2, 50, 33, 16, 16, Mask::None, true}, -1, 0, false, true));
  check(with({1, 2, 2, 50, 33, 16, 16, Mask::None, true}, -1, 0, false, true,
             /*zeroNanRows=*/true));
  check(with({3, 2, 2, 5, 33, 16, 16}, 4, 0, true, true));
  check(with({1, 2, 2, 8, 8, 16, 0}, -1, 0, false, true));
}

TEST(Attention, Empty) {
  check({1, 2, 2, 0, 8, 16, 16});
  check({1, 2, 2, 8, 8, 16, 0});
  check({1, 2, 2, 8, 0, 16, 16});
  check({1, 2, 2, 8, 8, 0, 16});
}

} // namespace
