// PTX that Triton made for sm_80 and sm_90, against the same computations in
// C++. The files lie beside the tree (gpu-yardsticks/README.md has their
// arguments).

#include "test/emulator/machine/Formats.h"
#include "test/emulator/machine/TensorMap.h"
#include "test/unit/Emulator/KernelHarness.h"

#include "gtest/gtest.h"

#include <cmath>
#include <fstream>
#include <sstream>

using namespace heddle::emulator;

namespace {

using Halves = std::vector<uint16_t>;

/// Small integers and quarters: products and sums of them are exact in float.
Halves randomBfloats(size_t count, uint64_t seed, int range, float unit) {
  Random random(seed);
  Halves values(count);
  for (uint16_t &value : values)
    value = floatToBfloat(
        float(int(random.below(uint32_t(2 * range + 1))) - range) * unit);
  return values;
}

float at(const Halves &values, size_t index) {
  return bfloatToFloat(values[index]);
}

template <class T> std::vector<T> contents(const Allocation *from) {
  std::vector<T> values(from->bytes / sizeof(T));
  std::memcpy(values.data(), from->data, from->bytes);
  return values;
}

class Triton : public testing::TestWithParam<const char *> {
protected:
  /// Runs a file's kernel; Triton adds two addresses of scratch memory.
  void run(const std::string &file, const char *entry, unsigned threads) {
    std::ifstream stream(HEDDLE_YARDSTICKS "/ptx/" + file);
    if (!stream)
      GTEST_SKIP() << HEDDLE_YARDSTICKS "/ptx/" << file << " is missing";
    std::stringstream text;
    text << stream.rdbuf();
    // Some make tensor maps in the first one.
    kernel.param(kernel.buffer(std::vector<uint8_t>(1 << 16))->address);
    kernel.param(uint64_t(0));
    kernel.capability = file.find("sm90") == file.npos ? 80 : 90;
    kernel.entry = entry;
    kernel.config.block = {threads, 1, 1};
    kernel.config.dynamicShared =
        kernel.capability == 80 ? 160 * 1024 : 227 * 1024;
    ASSERT_EQ(kernel.run(text.str()).message, "");
    ran = true;
  }
  KernelRun kernel;
  bool ran = false;
};

class TritonRows : public Triton {};

TEST_P(TritonRows, Softmax) {
  constexpr unsigned kRows = 5, kColumns = 4000;
  Halves x = randomBfloats(kRows * kColumns, 1, 40, 0.125f);
  auto *y = kernel.buffer(Halves(kRows * kColumns));
  kernel.param(kernel.buffer(x)->address);
  kernel.param(y->address);
  for (unsigned value : {kColumns, kColumns, kRows, kColumns})
    kernel.param(value);
  kernel.config.grid = {2, 1, 1};
  run(std::string("softmax_4096.") + GetParam() + ".ptx", "softmax", 256);
  if (!ran)
    return;
  Halves got = contents<uint16_t>(y);
  for (unsigned row = 0; row < kRows; ++row) {
    double sum = 0;
    for (unsigned i = 0; i < kColumns; ++i)
      sum += std::exp(double(at(x, row * kColumns + i)) - 5);
    for (unsigned i = 0; i < kColumns; ++i) {
      double want = std::exp(double(at(x, row * kColumns + i)) - 5) / sum;
      // Half a place of bf16, and a little of float.
      ASSERT_NEAR(at(got, row * kColumns + i), want, want * 0x1.1p-8);
    }
  }
}

TEST_P(TritonRows, LayerNorm) {
  constexpr unsigned kRows = 3, kColumns = 4000;
  Halves x = randomBfloats(kRows * kColumns, 2, 40, 0.125f),
         w = randomBfloats(kColumns, 3, 20, 0.125f),
         b = randomBfloats(kColumns, 4, 20, 0.125f);
  auto *y = kernel.buffer(Halves(kRows * kColumns));
  auto *mean = kernel.buffer(std::vector<float>(kRows));
  auto *rstd = kernel.buffer(std::vector<float>(kRows));
  kernel.param(kernel.buffer(x)->address);
  kernel.param(y->address);
  kernel.param(kernel.buffer(w)->address);
  kernel.param(kernel.buffer(b)->address);
  kernel.param(mean->address);
  kernel.param(rstd->address);
  kernel.param(kColumns);
  kernel.param(kColumns);
  kernel.param(1e-5f);
  kernel.config.grid = {kRows, 1, 1};
  run(std::string("layernorm_4096.") + GetParam() + ".ptx", "layernorm", 256);
  if (!ran)
    return;
  Halves got = contents<uint16_t>(y);
  for (unsigned row = 0; row < kRows; ++row) {
    double sum = 0, squares = 0;
    for (unsigned i = 0; i < kColumns; ++i)
      sum += at(x, row * kColumns + i);
    double mu = sum / kColumns;
    for (unsigned i = 0; i < kColumns; ++i)
      squares += std::pow(at(x, row * kColumns + i) - mu, 2);
    double scale = 1 / std::sqrt(squares / kColumns + 1e-5);
    ASSERT_NEAR(contents<float>(mean)[row], mu, 1e-5);
    ASSERT_NEAR(contents<float>(rstd)[row], scale, 1e-5);
    for (unsigned i = 0; i < kColumns; ++i) {
      double want =
          (at(x, row * kColumns + i) - mu) * scale * at(w, i) + at(b, i);
      ASSERT_NEAR(at(got, row * kColumns + i), want,
                  std::fabs(want) * 0x1.1p-8 + 1e-5);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, TritonRows, testing::Values("sm80", "sm90"));

void checkGemm(KernelRun &kernel, const std::function<bool()> &run,
               unsigned rowsOfTile, unsigned columnsOfTile) {
  constexpr unsigned kM = 144, kN = 272, kK = 208;
  Halves a = randomBfloats(kM * kK, 5, 8, 1),
         b = randomBfloats(kK * kN, 6, 8, 1);
  auto *c = kernel.buffer(Halves(kM * kN));
  kernel.param(kernel.buffer(a)->address);
  kernel.param(kernel.buffer(b)->address);
  kernel.param(c->address);
  for (unsigned value : {kM, kN, kK, kK, kN, kN})
    kernel.param(value);
  kernel.config.grid = {(kM + rowsOfTile - 1) / rowsOfTile *
                            ((kN + columnsOfTile - 1) / columnsOfTile),
                        1, 1};
  if (!run())
    return;
  Halves got = contents<uint16_t>(c);
  for (unsigned i = 0; i < kM; ++i)
    for (unsigned j = 0; j < kN; ++j) {
      float sum = 0;
      for (unsigned k = 0; k < kK; ++k)
        sum += at(a, i * kK + k) * at(b, k * kN + j);
      ASSERT_EQ(got[i * kN + j], floatToBfloat(sum)) << i << " " << j;
    }
}

TEST_F(Triton, Gemm128x128x32) {
  checkGemm(
      kernel,
      [&] {
        run("gemm_128x128x32.sm80.ptx", "gemm_ptr", 128);
        return ran;
      },
      128, 128);
}

TEST_F(Triton, Gemm128x256x64) {
  checkGemm(
      kernel,
      [&] {
        run("gemm_128x256x64.sm80.ptx", "gemm_ptr", 256);
        return ran;
      },
      128, 256);
}

TEST_F(Triton, GemmOfWarpgroups) {
  checkGemm(
      kernel,
      [&] {
        run("gemm_128x256x64.sm90.ptx", "gemm_ptr", 256);
        return ran;
      },
      128, 256);
}

/// Adds a descriptor as Triton passes it: the map, extents and strides.
void addMap(KernelRun &kernel, uint64_t address, unsigned rows,
            unsigned columns, unsigned boxRows, unsigned boxColumns) {
  TensorMap map;
  uint64_t extents[] = {columns, rows}, strides[] = {columns * 2};
  // Rows of 128 bytes: wider boxes are several copies.
  uint32_t box[] = {std::min(boxColumns, 64u), boxRows};
  ASSERT_EQ(encodeTensorMap(map, 9, 2, address, extents, strides, box, nullptr,
                            0, 3, 0),
            "");
  auto &params = kernel.config.params;
  params.resize((params.size() + 63) / 64 * 64);
  auto *bytes = reinterpret_cast<const uint8_t *>(&map);
  params.insert(params.end(), bytes, bytes + sizeof map);
  kernel.param(rows);
  kernel.param(columns);
  kernel.param(uint64_t(columns));
  kernel.param(uint64_t(1));
}

class TritonMaps : public Triton {};
class TritonMapsAttention : public Triton {};

TEST_P(TritonMaps, Gemm) {
  std::string file = GetParam();
  bool onDevice = file.find("_dev_") != file.npos;
  unsigned tileN = file.find("x128x64") != file.npos ? 128 : 256;
  constexpr unsigned kM = 144, kN = 272, kK = 208;
  Halves a = randomBfloats(kM * kK, 5, 8, 1),
         b = randomBfloats(kN * kK, 6, 8, 1);
  auto *c = kernel.buffer(Halves(kM * kN));
  auto *deviceA = kernel.buffer(a), *deviceB = kernel.buffer(b);
  if (onDevice) {
    for (const Allocation *each : {deviceA, deviceB, c})
      kernel.param(each->address);
  } else {
    addMap(kernel, deviceA->address, kM, kK, 128, 64);
    addMap(kernel, deviceB->address, kN, kK, tileN, 64);
    addMap(kernel, c->address, kM, kN, 128, 64);
  }
  // 3 blocks take the tiles in turn.
  for (unsigned value : {kM, kN, kK, 3u})
    kernel.param(value);
  kernel.config.grid = {3, 1, 1};
  run(file, onDevice ? "gemm_dev" : "gemm_tma", onDevice ? 384 : 256);
  if (!ran)
    return;
  Halves got = contents<uint16_t>(c);
  for (unsigned i = 0; i < kM; ++i)
    for (unsigned j = 0; j < kN; ++j) {
      float sum = 0;
      for (unsigned k = 0; k < kK; ++k)
        sum += at(a, i * kK + k) * at(b, j * kK + k);
      ASSERT_EQ(got[i * kN + j], floatToBfloat(sum)) << i << " " << j;
    }
}

INSTANTIATE_TEST_SUITE_P(Files, TritonMaps,
                         testing::Values("gemm_tma_128x128x64_s4.sm90.ptx",
                                         "gemm_tma_128x256x64.sm90.ptx",
                                         "gemm_tma_128x256x64_s4.sm90.ptx",
                                         "gemm_tma_noflat_128x256x64.sm90.ptx",
                                         "gemm_tma_ws8_128x256x64.sm90.ptx",
                                         "gemm_dev_ws_64x128x64_s4.sm90.ptx",
                                         "gemm_dev_ws_128x128x64_s4.sm90.ptx",
                                         "gemm_dev_ws_128x256x64.sm90.ptx"));

struct AttentionCase {
  static constexpr unsigned kHeads = 2, kLength = 256, kDepth = 128;
  static constexpr size_t kAll = size_t(kHeads) * kLength * kDepth;
  Halves q = randomBfloats(kAll, 7, 4, 0.25f),
         k = randomBfloats(kAll, 8, 4, 0.25f),
         v = randomBfloats(kAll, 9, 16, 0.25f);
  float scale = float(1.4426950408889634 / std::sqrt(128.0));

  void check(const Allocation *o, const Allocation *lse, bool causal) const;
};

void AttentionCase::check(const Allocation *o, const Allocation *lse,
                          bool causal) const {
  Halves got = contents<uint16_t>(o);
  for (unsigned row = 0; row < kHeads * kLength; row += 3) {
    unsigned head = row / kLength, last = causal ? row % kLength : kLength - 1;
    std::vector<double> weights;
    double sum = 0, most = -1e30;
    for (unsigned j = 0; j <= last; ++j) {
      double dot = 0;
      for (unsigned d = 0; d < kDepth; ++d)
        dot +=
            at(q, row * kDepth + d) * at(k, (head * kLength + j) * kDepth + d);
      weights.push_back(dot * double(scale));
      most = std::max(most, weights.back());
    }
    for (double &weight : weights)
      sum += weight = std::exp2(weight - most);
    ASSERT_NEAR(contents<float>(lse)[row], most + std::log2(sum), 1e-4);
    for (unsigned d = 0; d < kDepth; ++d) {
      double want = 0, size = 0;
      for (unsigned j = 0; j <= last; ++j) {
        double value = at(v, (head * kLength + j) * kDepth + d);
        want += weights[j] * value / sum;
        size += weights[j] * std::fabs(value) / sum;
      }
      // Weights and the result are rounded to bf16: half a place each.
      ASSERT_NEAR(at(got, row * kDepth + d), want, size * 0x1.1p-7) << row;
    }
  }
}

TEST_P(Triton, Attention) {
  std::string file = GetParam();
  AttentionCase c;
  auto *o = kernel.buffer(Halves(c.kAll));
  auto *lse = kernel.buffer(std::vector<float>(c.kHeads * c.kLength));
  for (const Halves *each : {&c.q, &c.k, &c.v})
    kernel.param(kernel.buffer(*each)->address);
  kernel.param(o->address);
  kernel.param(lse->address);
  kernel.param(c.scale);
  kernel.param(unsigned(c.kHeads));
  kernel.param(unsigned(c.kLength));
  kernel.config.grid = {c.kLength / 128, c.kHeads, 1};
  run(file, "attn_ptr", file.find("_w8") != file.npos ? 256 : 128);
  if (ran)
    c.check(o, lse, file.find("causal") != file.npos);
}

TEST_P(TritonMapsAttention, Attention) {
  std::string file = GetParam();
  AttentionCase c;
  auto *o = kernel.buffer(Halves(c.kAll));
  auto *lse = kernel.buffer(std::vector<float>(c.kHeads * c.kLength));
  unsigned rows = c.kHeads * c.kLength;
  unsigned keys = file.find("128x64") != file.npos ? 64 : 128;
  bool onDevice = file.find("_dev_") != file.npos;
  auto *q = kernel.buffer(c.q), *k = kernel.buffer(c.k),
       *v = kernel.buffer(c.v);
  if (onDevice) {
    for (const Allocation *each : {q, k, v, o})
      kernel.param(each->address);
  } else {
    addMap(kernel, q->address, rows, c.kDepth, 128, 64);
    addMap(kernel, k->address, rows, c.kDepth, keys, 64);
    addMap(kernel, v->address, rows, c.kDepth, keys, 64);
    addMap(kernel, o->address, rows, c.kDepth, 128, 64);
  }
  kernel.param(lse->address);
  kernel.param(c.scale);
  kernel.param(unsigned(c.kHeads));
  kernel.param(unsigned(c.kLength));
  kernel.config.grid = {c.kLength / 128, c.kHeads, 1};
  run(file, onDevice ? "attn_dev" : "attn_tma",
      onDevice                        ? 384
      : file.find("_w8") != file.npos ? 256
                                      : 128);
  if (ran)
    c.check(o, lse, file.find("causal") != file.npos);
}

INSTANTIATE_TEST_SUITE_P(
    Files, TritonMapsAttention,
    testing::Values("attn_tma_128x128_s2_w8.sm90.ptx",
                    "attn_tma_128x128_s2_w8_causal.sm90.ptx",
                    "attn_tma_128x64_s3_w4.sm90.ptx",
                    "attn_tma_128x64_s3_w4_causal.sm90.ptx",
                    "attn_tma_ws_128x64_s3_w8.sm90.ptx",
                    "attn_tma_ws_128x64_s3_w8_causal.sm90.ptx",
                    "attn_dev_ws_128x128_s2_w4.sm90.ptx",
                    "attn_dev_ws_128x128_s2_w4_causal.sm90.ptx"));

INSTANTIATE_TEST_SUITE_P(Files, Triton,
                         testing::Values("attn_128x64_w4.sm80.ptx",
                                         "attn_128x64_w4_causal.sm80.ptx",
                                         "attn_128x64_w8.sm80.ptx",
                                         "attn_128x64_w8_causal.sm80.ptx",
                                         "attn_128x128_w8.sm90.ptx",
                                         "attn_128x128_w8_causal.sm90.ptx"));

} // namespace
