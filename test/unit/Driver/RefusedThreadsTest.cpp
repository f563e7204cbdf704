// The compiler where the system starts no threads, so that it does the work on
// the one that it has, and where it gives no memory for what the caller says.

#include "heddle/compiler.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <pthread.h>
#include <string>
#include <unistd.h>

static std::atomic<bool> refuses{false};
static std::atomic<unsigned> refused{0};

/// In place of the C library's, also for the libraries of this process.
extern "C" int pthread_create(pthread_t *thread, const pthread_attr_t *how,
                              void *(*work)(void *), void *state) {
  if (refuses) {
    ++refused;
    return EAGAIN;
  }
  using Create =
      int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  static auto real =
      reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  return real(thread, how, work, state);
}

static std::atomic<bool> hasNoMemory{false};

void *operator new(size_t bytes) {
  void *memory = hasNoMemory ? nullptr : std::malloc(bytes ? bytes : 1);
  if (!memory)
    throw std::bad_alloc();
  return memory;
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }

namespace {

/// Weights to pack, a kernel that calls routines, so that it is linked, and
/// several kernels.
constexpr char source[] = R"(
func.func @main(%x: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64xf32>) {
  %w = stablehlo.constant dense<0.5> : tensor<64x64xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = stablehlo.remainder %y, %x : tensor<64x64xf32>
  %s = stablehlo.reduce(%r init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x64xf32>, tensor<f32>) -> tensor<64xf32>
  return %r, %s : tensor<64x64xf32>, tensor<64xf32>
}
)";

std::string compiled() {
  std::string path = (std::filesystem::temp_directory_path() /
                      ("heddle-threads-" + std::to_string(getpid())))
                         .string();
  heddle_compiler *compiler = heddle_compiler_create();
  heddle_model model{};
  model.size = sizeof model;
  model.data = source;
  model.bytes = sizeof source - 1;
  char *json = nullptr;
  EXPECT_EQ(
      heddle_compiler_compile(compiler, &model, path.c_str(), nullptr, &json),
      HEDDLE_COMPILED)
      << json;
  heddle_string_free(json);
  heddle_compiler_destroy(compiler);
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::remove(path.c_str());
  return bytes;
}

TEST(RefusedThreads, TheSameArtifact) {
  std::string with = compiled();
  refuses = true;
  std::string without = compiled();
  refuses = false;
  EXPECT_GE(refused, 4u); // a phase's watcher, the context's, packer and linker
  EXPECT_FALSE(with.empty());
  EXPECT_TRUE(with == without);
}

TEST(RefusedMemory, IsAnOutcome) {
  heddle_compiler *compiler = heddle_compiler_create();
  heddle_model model{};
  model.size = sizeof model;
  model.path = "/a/path/that/is/longer/than/what/a/string/holds/in/place.mlir";
  char anything = 0, *json = &anything;
  hasNoMemory = true;
  heddle_outcome outcome = heddle_compiler_compile(
      compiler, &model, "/no/such/folder/model.heddle", nullptr, &json);
  hasNoMemory = false;
  EXPECT_EQ(outcome, HEDDLE_RESOURCE_LIMIT);
  EXPECT_EQ(json, nullptr);
  // The next call finds nothing amiss.
  EXPECT_EQ(heddle_compiler_compile(compiler, &model,
                                    "/no/such/folder/model.heddle", nullptr,
                                    &json),
            HEDDLE_BAD_INPUT);
  heddle_string_free(json);
  heddle_compiler_destroy(compiler);
}

} // namespace
