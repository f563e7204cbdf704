// The emulated driver's library, opened as programs open CUDA's.

#include "gtest/gtest.h"

#include <cstdint>
#include <dlfcn.h>
#include <vector>

namespace {

const char *const kSaxpy = R"(
.version 8.7
.target sm_80
.address_size 64
.visible .entry saxpy(.param .u32 n, .param .f32 a, .param .u64 x, .param .u64 y)
{
  .reg .pred %p<2>;
  .reg .f32 %f<5>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<8>;
  ld.param.u32 %r2, [n];
  ld.param.f32 %f1, [a];
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ntid.x;
  mov.u32 %r5, %tid.x;
  mad.lo.s32 %r1, %r3, %r4, %r5;
  setp.ge.s32 %p1, %r1, %r2;
  @%p1 bra $done;
  cvta.to.global.u64 %rd3, %rd1;
  mul.wide.s32 %rd4, %r1, 4;
  add.s64 %rd5, %rd3, %rd4;
  ld.global.f32 %f2, [%rd5];
  cvta.to.global.u64 %rd6, %rd2;
  add.s64 %rd7, %rd6, %rd4;
  ld.global.f32 %f3, [%rd7];
  fma.rn.f32 %f4, %f1, %f2, %f3;
  st.global.f32 [%rd7], %f4;
$done:
  ret;
}
)";

struct Cuda {
  void *library = dlopen(HEDDLE_EMULATED_CUDA, RTLD_NOW | RTLD_LOCAL);

  template <class... Args> int operator()(const char *name, Args... args) {
    auto *function = reinterpret_cast<int (*)(Args...)>(dlsym(library, name));
    EXPECT_NE(function, nullptr) << name;
    return function ? function(args...) : -1;
  }
};

class EmulatedCuda : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_NE(cuda.library, nullptr) << dlerror();
    ASSERT_EQ(cuda("cuInit", 0u), 0);
    ASSERT_EQ(cuda("cuDevicePrimaryCtxRetain", &context, 0), 0);
    ASSERT_EQ(cuda("cuCtxPushCurrent_v2", context), 0);
  }
  void TearDown() override {
    EXPECT_EQ(cuda("cuCtxPopCurrent_v2", &context), 0);
    EXPECT_EQ(cuda("cuDevicePrimaryCtxRelease_v2", 0), 0);
  }
  void load(const char *name) {
    ASSERT_EQ(cuda("cuModuleLoadDataEx", &module, (const void *)kSaxpy, 0u,
                   (int *)nullptr, (void **)nullptr),
              0);
    ASSERT_EQ(cuda("cuModuleGetFunction", &function, module, name), 0);
  }
  int launch(unsigned blocks, unsigned threads, void **params,
             void *stream = nullptr) {
    return cuda("cuLaunchKernel", function, blocks, 1u, 1u, threads, 1u, 1u, 0u,
                stream, params, (void **)nullptr);
  }

  Cuda cuda;
  void *context = nullptr, *module = nullptr, *function = nullptr;
};

TEST_F(EmulatedCuda, RunsSaxpy) {
  load("saxpy");
  constexpr unsigned kCount = 1000;
  std::vector<float> x(kCount), y(kCount);
  for (unsigned i = 0; i < kCount; ++i) {
    x[i] = float(i);
    y[i] = 1.0f + float(i % 7);
  }
  uint64_t dx = 0, dy = 0;
  ASSERT_EQ(cuda("cuMemAlloc_v2", &dx, size_t(kCount * 4)), 0);
  ASSERT_EQ(cuda("cuMemAlloc_v2", &dy, size_t(kCount * 4)), 0);
  ASSERT_EQ(
      cuda("cuMemcpyHtoD_v2", dx, (const void *)x.data(), size_t(kCount * 4)),
      0);
  ASSERT_EQ(
      cuda("cuMemcpyHtoD_v2", dy, (const void *)y.data(), size_t(kCount * 4)),
      0);
  unsigned n = kCount;
  float a = 2.5f;
  void *params[] = {&n, &a, &dx, &dy};
  ASSERT_EQ(launch(8, 128, params), 0);
  std::vector<float> got(kCount);
  ASSERT_EQ(cuda("cuMemcpyDtoH_v2", (void *)got.data(), dy, size_t(kCount * 4)),
            0);
  for (unsigned i = 0; i < kCount; ++i)
    ASSERT_EQ(got[i], 2.5f * x[i] + y[i]) << i;
  EXPECT_EQ(cuda("cuMemFree_v2", dx), 0);
  EXPECT_EQ(cuda("cuMemFree_v2", dy), 0);
  // A second time it is nobody's.
  EXPECT_EQ(cuda("cuMemFree_v2", dy), 1);
  EXPECT_EQ(cuda("cuModuleUnload", module), 0);
  EXPECT_EQ(launch(1, 32, params), 400);
}

TEST_F(EmulatedCuda, RefusesWrongCalls) {
  load("saxpy");
  unsigned n = 0;
  float a = 0;
  uint64_t none = 0;
  void *params[] = {&n, &a, &none, &none};
  EXPECT_EQ(launch(1, 2048, params), 1);
  EXPECT_EQ(launch(0, 32, params), 1);
  EXPECT_EQ(launch(1, 32, nullptr), 1);
  EXPECT_EQ(launch(1, 32, params, &n), 400);
  void *other = nullptr;
  EXPECT_EQ(cuda("cuModuleGetFunction", &other, module, "nothing"), 500);
  EXPECT_EQ(cuda("cuModuleLoadDataEx", &other, (const void *)"\177ELF", 0u,
                 (int *)nullptr, (void **)nullptr),
            209);
  uint64_t address = 0;
  ASSERT_EQ(cuda("cuMemAlloc_v2", &address, size_t(16)), 0);
  std::vector<char> bytes(32);
  EXPECT_EQ(
      cuda("cuMemcpyHtoD_v2", address, (const void *)bytes.data(), size_t(32)),
      1);
  EXPECT_EQ(cuda("cuMemFree_v2", address), 0);
  EXPECT_EQ(cuda("cuModuleUnload", module), 0);
}

TEST_F(EmulatedCuda, OrdersStreamsByEvents) {
  void *first = nullptr, *second = nullptr, *event = nullptr, *host = nullptr;
  ASSERT_EQ(cuda("cuStreamCreate", &first, 1u), 0);
  ASSERT_EQ(cuda("cuStreamCreate", &second, 1u), 0);
  ASSERT_EQ(cuda("cuEventCreate", &event, 2u), 0);
  ASSERT_EQ(cuda("cuMemHostAlloc", &host, size_t(4), 0u), 0);
  uint64_t address = 0;
  ASSERT_EQ(cuda("cuMemAlloc_v2", &address, size_t(4)), 0);
  for (unsigned round = 0; round < 50; ++round) {
    for (unsigned i = 0; i < 3; ++i)
      ASSERT_EQ(
          cuda("cuMemsetD32Async", address, round * 8 + i, size_t(1), first),
          0);
    ASSERT_EQ(cuda("cuEventRecord", event, first), 0);
    ASSERT_EQ(cuda("cuStreamWaitEvent", second, event, 0u), 0);
    ASSERT_EQ(cuda("cuMemcpyDtoHAsync_v2", host, address, size_t(4), second),
              0);
    ASSERT_EQ(cuda("cuStreamSynchronize", second), 0);
    ASSERT_EQ(*static_cast<unsigned *>(host), round * 8 + 2);
    ASSERT_EQ(cuda("cuEventQuery", event), 0);
  }
  EXPECT_EQ(cuda("cuMemFreeHost", host), 0);
  EXPECT_EQ(cuda("cuMemFree_v2", address), 0);
  EXPECT_EQ(cuda("cuStreamDestroy_v2", first), 0);
  EXPECT_EQ(cuda("cuStreamDestroy_v2", second), 0);
  EXPECT_EQ(cuda("cuStreamQuery", second), 400);
  EXPECT_EQ(cuda("cuEventDestroy_v2", event), 0);
  EXPECT_EQ(cuda("cuEventQuery", event), 400);
}

TEST_F(EmulatedCuda, ChecksTensorMaps) {
  alignas(64) unsigned char map[128];
  uint64_t extents[] = {100, 40}, strides[] = {208};
  unsigned box[] = {64, 32}, ones[] = {1, 1};
  auto encode = [&](uint64_t address, int swizzle) {
    return cuda("cuTensorMapEncodeTiled", (void *)map, 9, 2u, address, extents,
                strides, box, ones, 0, swizzle, 0, 0);
  };
  EXPECT_EQ(encode(0x1000, 3), 0);
  EXPECT_EQ(encode(0x1008, 3), 1);
  EXPECT_EQ(encode(0x1000, 2), 1); // rows of 128 bytes, a swizzle of 64
  strides[0] = 200;
  EXPECT_EQ(encode(0x1000, 3), 1);
  strides[0] = 208;
  box[1] = 257;
  EXPECT_EQ(encode(0x1000, 3), 1);
}

// The context of this fault stays broken for the process: nothing may follow.
TEST(EmulatedCudaFaults, StayUntilTheEnd) {
  Cuda cuda;
  auto breaks = [&] {
    void *context = nullptr, *module = nullptr, *function = nullptr;
    cuda("cuInit", 0u);
    cuda("cuDevicePrimaryCtxRetain", &context, 0);
    cuda("cuCtxPushCurrent_v2", context);
    cuda("cuModuleLoadDataEx", &module, (const void *)kSaxpy, 0u,
         (int *)nullptr, (void **)nullptr);
    cuda("cuModuleGetFunction", &function, module, "saxpy");
    uint64_t x = 0;
    cuda("cuMemAlloc_v2", &x, size_t(64));
    unsigned n = 17;
    float a = 1;
    void *params[] = {&n, &a, &x, &x};
    cuda("cuLaunchKernel", function, 1u, 1u, 1u, 32u, 1u, 1u, 0u,
         (void *)nullptr, params, (void **)nullptr);
    int first = cuda("cuCtxSynchronize");
    int second = cuda("cuMemAlloc_v2", &x, size_t(64));
    std::exit(first == 700 && second == 700 ? 7 : 1);
  };
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(breaks(), testing::ExitedWithCode(7),
              "kernel saxpy, block \\(0, 0, 0\\), thread \\(16, 0, 0\\), line "
              "24, ld.global.f32: 4 bytes at .*past the end of an allocation "
              "of 64 bytes");
}

} // namespace
