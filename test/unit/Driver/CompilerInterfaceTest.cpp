// The compiler's C interface: what it takes of callers that were built with
// other versions of it, or make mistakes, and its options: placement, states,
// entries.

#include "heddle/compiler.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

namespace {

constexpr char source[] = R"(
func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %y = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> loc("product")
  return %y : tensor<4x4xf32>
}
)";

struct Interface : testing::Test {
  Interface() : compiler(heddle_compiler_create()) {
    path = (std::filesystem::temp_directory_path() /
            ("heddle-interface-" + std::to_string(getpid()) + ".heddle"))
               .string();
    model.size = sizeof model;
    model.data = source;
    model.bytes = sizeof source - 1;
    options.size = sizeof options;
  }
  ~Interface() override {
    heddle_compiler_destroy(compiler);
    std::remove(path.c_str());
  }

  heddle_outcome compile(const heddle_model *given,
                         const heddle_compile_options *wishes) {
    char *json = nullptr;
    heddle_outcome outcome =
        heddle_compiler_compile(compiler, given, path.c_str(), wishes, &json);
    document = json ? json : "";
    heddle_string_free(json);
    return outcome;
  }
  bool says(const char *text) const {
    return document.find(text) != std::string::npos;
  }

  heddle_compiler *compiler;
  std::string path, document;
  heddle_model model{};
  heddle_compile_options options{};
};

TEST_F(Interface, Compiles) {
  EXPECT_EQ(compile(&model, nullptr), HEDDLE_COMPILED) << document;
  EXPECT_EQ(compile(&model, &options), HEDDLE_COMPILED) << document;
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST_F(Interface, SizesThatAreNotSet) {
  model.size = 0;
  EXPECT_EQ(compile(&model, nullptr), HEDDLE_BAD_INPUT);
  EXPECT_TRUE(says("HDL-0801") && says("model: a struct's size is not set"))
      << document;
  model.size = sizeof model;
  options.size = 1;
  EXPECT_EQ(compile(&model, &options), HEDDLE_BAD_INPUT);
  EXPECT_TRUE(says("options: a struct's size is not set")) << document;
  EXPECT_FALSE(std::filesystem::exists(path));
}

// As on the command line: what is no artifact is replaced only by force, and
// what is read never.
TEST_F(Interface, FilesThatAreThere) {
  auto write = [](const std::string &file, const std::string &text) {
    std::ofstream(file) << text;
  };
  auto contents = [](const std::string &file) {
    std::ifstream stream(file);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  write(path, "precious");
  EXPECT_EQ(compile(&model, &options), HEDDLE_USAGE);
  EXPECT_TRUE(says("HDL-0103") && says("is no artifact")) << document;
  EXPECT_EQ(contents(path), "precious");
  options.force = 1;
  EXPECT_EQ(compile(&model, &options), HEDDLE_COMPILED) << document;
  options.force = 0;
  EXPECT_EQ(compile(&model, &options), HEDDLE_COMPILED) << document;

  // The model is in the file that the artifact would go to, by any name.
  write(path, source);
  std::string other = path + ".mlir";
  std::filesystem::create_symlink(path, other);
  heddle_model file{};
  file.size = sizeof file;
  file.path = other.c_str();
  options.force = 1;
  EXPECT_EQ(compile(&file, &options), HEDDLE_USAGE);
  EXPECT_TRUE(says("the output would replace the model")) << document;
  heddle_entry entry{sizeof(heddle_entry), "main", &file};
  const heddle_entry *entries[] = {&entry, nullptr};
  options.entries = entries;
  EXPECT_EQ(compile(nullptr, &options), HEDDLE_USAGE);
  EXPECT_TRUE(says("the output would replace the model")) << document;
  EXPECT_EQ(contents(path), source);
  std::filesystem::remove(other);

  // The name of a model in memory is no file's.
  options.entries = nullptr;
  model.path = path.c_str();
  EXPECT_EQ(compile(&model, &options), HEDDLE_COMPILED) << document;
}

TEST_F(Interface, AnEmptyPath) {
  path.clear();
  EXPECT_EQ(compile(&model, &options), HEDDLE_BAD_INPUT);
  EXPECT_TRUE(says("HDL-0104") && says("the path is empty")) << document;
}

// Of a caller that knows no cancel flag: what stands there is not looked at.
TEST_F(Interface, EarlierStructs) {
  options.size = offsetof(heddle_compile_options, cancel);
  options.cancel = reinterpret_cast<const int32_t *>(8);
  EXPECT_EQ(compile(&model, &options), HEDDLE_COMPILED) << document;
}

TEST_F(Interface, LaterStructs) {
  struct {
    heddle_compile_options known;
    const void *later;
  } larger{options, nullptr};
  larger.known.size = sizeof larger;
  EXPECT_EQ(compile(&model, &larger.known), HEDDLE_COMPILED) << document;
  larger.later = source;
  EXPECT_EQ(compile(&model, &larger.known), HEDDLE_BAD_INPUT);
  EXPECT_TRUE(says("options: ")) << document;
  struct {
    heddle_model known;
    const void *later;
  } wider{model, source};
  wider.known.size = sizeof wider;
  EXPECT_EQ(compile(&wider.known, nullptr), HEDDLE_BAD_INPUT);
  EXPECT_TRUE(says("model: ")) << document;
}

TEST_F(Interface, NullPointers) {
  EXPECT_EQ(compile(nullptr, nullptr), HEDDLE_BAD_INPUT);
  EXPECT_TRUE(says("null pointer")) << document;
  EXPECT_EQ(
      heddle_compiler_compile(compiler, &model, nullptr, nullptr, nullptr),
      HEDDLE_BAD_INPUT);
  EXPECT_EQ(heddle_compiler_inspect(compiler, nullptr, nullptr),
            HEDDLE_BAD_INPUT);
  model.data = nullptr;
  EXPECT_EQ(compile(&model, nullptr), HEDDLE_BAD_INPUT);
  EXPECT_TRUE(says("neither a path nor data")) << document;
}

// Two functions that leave something in one state.
constexpr char entrySource[] = R"(
func.func @fill(%x: tensor<4x4xf32> {heddle.name = "x"}) -> (tensor<4x4xf32> {heddle.name = "made"}) {
  %y = stablehlo.add %x, %x : tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}
func.func @main(%z: tensor<4x4xf32> {heddle.name = "z"}, %past: tensor<4x4xf32> {heddle.name = "past"})
    -> (tensor<4x4xf32> {heddle.name = "sum"}, tensor<4x4xf32> {heddle.name = "made"}) {
  %y = stablehlo.add %z, %past : tensor<4x4xf32>
  return %y, %y : tensor<4x4xf32>, tensor<4x4xf32>
}
)";

struct Entries : Interface {
  Entries() {
    model.data = entrySource;
    model.bytes = sizeof entrySource - 1;
    first = model;
    first.function = "fill";
    options.states = states;
    options.entries = list;
  }

  heddle_model first{};
  heddle_entry fill{sizeof fill, "fill", &first},
      step{sizeof step, "step", &model};
  const heddle_entry *list[3] = {&fill, &step, nullptr};
  const char *states[2] = {"past=made", nullptr};
};

TEST_F(Entries, ShareAState) {
  ASSERT_EQ(compile(nullptr, &options), HEDDLE_COMPILED) << document;
  char *json = nullptr;
  ASSERT_EQ(heddle_compiler_inspect(compiler, path.c_str(), &json),
            HEDDLE_COMPILED);
  document = json;
  heddle_string_free(json);
  EXPECT_TRUE(says("\"fill\"") && says("\"step\"")) << document;
  EXPECT_TRUE(says("\"name\": \"past\"") && !says("\"name\": \"made\""))
      << document;
}

TEST_F(Entries, Mistakes) {
  EXPECT_EQ(compile(&model, &options), HEDDLE_BAD_INPUT);
  EXPECT_TRUE(says("HDL-0801") && says("model must be a null pointer"))
      << document;
  step.name = "fill";
  EXPECT_EQ(compile(nullptr, &options), HEDDLE_USAGE);
  EXPECT_TRUE(says("two entries are called")) << document;
  step.name = nullptr;
  EXPECT_EQ(compile(nullptr, &options), HEDDLE_BAD_INPUT);
  EXPECT_TRUE(says("entry: name is a null pointer")) << document;
  step.name = "";
  EXPECT_EQ(compile(nullptr, &options), HEDDLE_USAGE);
  EXPECT_TRUE(says("an entry has no name")) << document;
  step.name = "step";
  step.model = nullptr;
  EXPECT_EQ(compile(nullptr, &options), HEDDLE_BAD_INPUT);
  EXPECT_TRUE(says("entry \\\"step\\\": model is a null pointer")) << document;
  step.model = &model;
  step.size = 3;
  EXPECT_EQ(compile(nullptr, &options), HEDDLE_BAD_INPUT);
  EXPECT_TRUE(says("entry: a struct's size is not set")) << document;
  step.size = sizeof step;
  states[0] = "past=nothing";
  EXPECT_EQ(compile(nullptr, &options), HEDDLE_USAGE);
  EXPECT_TRUE(says("there is no output 'nothing' to keep in it")) << document;
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(Interface, Placement) {
  const char *places[] = {"cpu", "sim", nullptr};
  const char *rules[] = {"prod*=sim", nullptr};
  const char *wrong[] = {"nothing=sim", nullptr};
  options.places = places;
  options.place_rules = rules;
  ASSERT_EQ(compile(&model, &options), HEDDLE_COMPILED) << document;
  char *json = nullptr;
  ASSERT_EQ(heddle_compiler_inspect(compiler, path.c_str(), &json),
            HEDDLE_COMPILED);
  EXPECT_NE(std::string(json).find("sim:0"), std::string::npos) << json;
  heddle_string_free(json);
  options.place_rules = wrong;
  EXPECT_EQ(compile(&model, &options), HEDDLE_USAGE);
  EXPECT_TRUE(says("HDL-0114")) << document;
  options.place_rules = nullptr;
  options.place_by = "lot";
  EXPECT_EQ(compile(&model, &options), HEDDLE_USAGE);
  EXPECT_TRUE(says("no way to spread a model")) << document;
}

} // namespace
