// PTX that nvcc made of test/emulator/Inputs/plain.cu, against the same
// programs in C++. Compiled again by: nvcc -ptx -arch=compute_80 plain.cu

#include "test/emulator/machine/Formats.h"
#include "test/unit/Emulator/KernelHarness.h"

#include "gtest/gtest.h"

#include <cmath>
#include <fstream>
#include <sstream>

using namespace heddle::emulator;

namespace {

std::string readText() {
  std::ifstream file(HEDDLE_EMULATOR_INPUTS "/plain.sm80.ptx");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<float> randomFloats(size_t count, uint64_t seed) {
  Random random(seed);
  std::vector<float> values(count);
  for (float &value : values)
    value = float(int(random.below(2001)) - 1000) / 256;
  return values;
}

template <class T> std::vector<T> contents(const Allocation *from) {
  std::vector<T> values(from->bytes / sizeof(T));
  std::memcpy(values.data(), from->data, from->bytes);
  return values;
}

void expectNoFault(KernelRun &run, const char *name) {
  run.entry = name;
  EXPECT_EQ(run.run(readText()).message, "");
}

TEST(Programs, ReducesRows) {
  for (uint64_t seed = 1; seed < 5; ++seed) {
    KernelRun run;
    run.config.seed = seed;
    auto x = randomFloats(7 * 333, seed);
    auto *y = run.buffer(std::vector<float>(7));
    run.param(run.buffer(x)->address);
    run.param(y->address);
    run.param(int(333));
    run.config.grid = {7, 1, 1};
    run.config.block = {96, 1, 1};
    expectNoFault(run, "reduceRows");
    auto got = contents<float>(y);
    for (unsigned row = 0; row < 7; ++row) {
      float sum = 0; // of multiples of 1/256: exact in any order
      for (unsigned i = 0; i < 333; ++i)
        sum += x[row * 333 + i];
      EXPECT_EQ(got[row], sum);
    }
  }
}

TEST(Programs, MultipliesMatrices) {
  KernelRun run;
  int m = 37, n = 45, k = 50;
  auto a = randomFloats(size_t(m * k), 1), b = randomFloats(size_t(k * n), 2);
  auto *c = run.buffer(std::vector<float>(size_t(m * n)));
  run.param(run.buffer(a)->address);
  run.param(run.buffer(b)->address);
  run.param(c->address);
  run.param(m);
  run.param(n);
  run.param(k);
  run.config.grid = {3, 3, 1};
  run.config.block = {16, 16, 1};
  run.config.dynamicShared = 2 * 16 * 17 * 4;
  expectNoFault(run, "matmul");
  auto got = contents<float>(c);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int p = 0; p < k; ++p)
        sum = std::fma(a[size_t(i * k + p)], b[size_t(p * n + j)], sum);
      ASSERT_EQ(got[size_t(i * n + j)], sum) << i << " " << j;
    }
}

TEST(Programs, CountsWithAtomics) {
  KernelRun run;
  std::vector<unsigned> x(5000), want(64);
  Random random(3);
  for (unsigned &value : x)
    ++want[(value = random.next()) * 2654435761u >> 26];
  auto *bins = run.buffer(std::vector<unsigned>(64));
  run.param(run.buffer(x)->address);
  run.param(bins->address);
  run.param(int(x.size()));
  run.config.grid = {5, 1, 1};
  run.config.block = {100, 1, 1}; // the last warp has 4 threads
  expectNoFault(run, "histogram");
  EXPECT_EQ(contents<unsigned>(bins), want);
}

TEST(Programs, LanesLoopForDifferentTimes) {
  KernelRun run;
  std::vector<unsigned> x(1000), want(1000);
  for (unsigned i = 0; i < x.size(); ++i) {
    x[i] = i * 77777u + 1;
    for (uint64_t v = x[i]; v > 1; ++want[i])
      v = v & 1 ? 3 * v + 1 : v / 2;
  }
  auto *steps = run.buffer(std::vector<unsigned>(1000));
  run.param(run.buffer(x)->address);
  run.param(steps->address);
  run.param(int(1000));
  run.config.grid = {8, 1, 1};
  run.config.block = {128, 1, 1};
  expectNoFault(run, "collatz");
  EXPECT_EQ(contents<unsigned>(steps), want);
}

// One lane goes by a piece of code behind the loop and comes back, where the
// others wait for it.
TEST(Programs, LanesMeetAgainWhereTheyWait) {
  KernelRun run;
  auto *out = run.buffer(std::vector<uint32_t>(32));
  run.param(out->address);
  run.config.block = {32, 1, 1};
  EXPECT_EQ(run.run(kernel(".param .u64 p",
                           ".reg .b32 %t, %i, %v; .reg .b64 %p, %rd1;\n"
                           ".reg .pred %first, %done;\n"
                           "ld.param.u64 %p, [p]; mov.u32 %t, %tid.x;\n"
                           "setp.eq.u32 %first, %t, 0; mov.u32 %i, 0;\n"
                           "again:\n"
                           "vote.sync.ballot.b32 %v, %first, -1;\n"
                           "add.u32 %i, %i, 1;\n"
                           "setp.gt.u32 %done, %i, 20;\n"
                           "@%done bra end;\n"
                           "@%first bra aside;\n"
                           "bra again;\n"
                           "aside:\n"
                           "add.u32 %i, %i, 0;\n"
                           "bra again;\n"
                           "end:\n"
                           "mul.wide.u32 %rd1, %t, 4;\n"
                           "add.s64 %p, %p, %rd1; st.global.u32 [%p], %v;\n"
                           "ret;"))
                .message,
            "");
  EXPECT_EQ(out->data[0], 1);
}

TEST(Programs, CallsFunctionsAndReadsConstants) {
  KernelRun run;
  auto x = randomFloats(300, 9);
  auto *y = run.buffer(std::vector<double>(300));
  run.param(run.buffer(x)->address);
  run.param(y->address);
  run.param(int(300));
  run.config.grid = {3, 1, 1};
  run.config.block = {128, 1, 1};
  expectNoFault(run, "polynomial");
  auto got = contents<double>(y);
  for (unsigned i = 0; i < 300; ++i) {
    float r = 0;
    for (float c : {0.5f, -1.25f, 2.0f, 3.0f})
      r = std::fma(r, x[i], c);
    double want = std::exp(double(r) * 0.125) + std::sin(double(x[i])) +
                  std::erf(double(x[i]));
    // CUDA's bounds: 1 ulp of the exponential, 2 ulp of floats near 1.
    ASSERT_NEAR(got[i], want, 5e-7 + std::fabs(want) * 4e-16) << x[i];
  }
}

TEST(Programs, ComputesWithHalves) {
  KernelRun run;
  auto x = randomFloats(256, 4), y = randomFloats(256, 5);
  std::vector<uint16_t> hx, by;
  for (unsigned i = 0; i < 256; ++i) {
    hx.push_back(floatToHalf(x[i]));
    by.push_back(floatToBfloat(y[i]));
  }
  auto *z = run.buffer(std::vector<float>(256));
  run.param(run.buffer(hx)->address);
  run.param(run.buffer(by)->address);
  run.param(z->address);
  run.param(int(256));
  run.config.grid = {2, 1, 1};
  run.config.block = {128, 1, 1};
  expectNoFault(run, "halves");
  auto got = contents<float>(z);
  for (unsigned i = 0; i < 256; ++i) {
    double h = halfToFloat(hx[i]), b = bfloatToFloat(by[i]);
    float want =
        float(
            decode(encode(h * h + 1.5, kF16, Rounding::Nearest, false), kF16)) +
        float(decode(encode(b * b, kBF16, Rounding::Nearest, false), kBF16));
    ASSERT_EQ(got[i], want) << i;
  }
}

} // namespace
