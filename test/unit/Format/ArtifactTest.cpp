// Artifacts written, read back, and damaged in one place.

#include "runtime/format/ArtifactReader.h"
#include "runtime/format/DataTypes.h"
#include "runtime/format/TensorMemory.h"
#include "test/runtime/TestModels.h"

#include "gtest/gtest.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <unistd.h>

using namespace heddle;
using namespace heddle::format;
using namespace heddle::test;

namespace {
struct ArtifactTest : testing::Test {
  KernelImage image = KernelImage::read(HEDDLE_TEST_KERNELS);
  std::filesystem::path folder = std::filesystem::temp_directory_path() /
                                 ("heddle-format-" + std::to_string(getpid()));
  std::string path = folder / "model.heddle";

  ArtifactTest() { std::filesystem::create_directory(folder); }
  ~ArtifactTest() override { std::filesystem::remove_all(folder); }

  size_t files() const {
    std::filesystem::directory_iterator begin(folder), end;
    return static_cast<size_t>(std::distance(begin, end));
  }
  std::string contents() const {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
};
} // namespace

TEST_F(ArtifactTest, RoundTrip) {
  Error error = additionModel().write(image, path);
  ASSERT_FALSE(error) << error.message();
  ArtifactReader reader;
  error = reader.open(path);
  ASSERT_FALSE(error) << error.message();
  EXPECT_FALSE(reader.verifyWeights());
  EXPECT_EQ(reader.manifest().entries()->size(), 2u);
  EXPECT_EQ(reader.manifest().variants()->size(), 2u);
  const Weight &bias = *reader.manifest().weights()->Get(0);
  EXPECT_EQ(bias.symbol()->str(), "bias");
  Bytes bytes = reader.weight(0);
  ASSERT_EQ(bytes.size, 4000u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(bytes.data) % 64, 0u);
  float value = 0;
  std::memcpy(&value, bytes.data + 4 * 999, 4);
  EXPECT_EQ(value, 499.5f);
  EXPECT_EQ(reader.plan(0).programs()->size(), 2u);
}

TEST_F(ArtifactTest, EqualInputsGiveEqualBytes) {
  ASSERT_FALSE(additionModel().write(image, path));
  std::string first = contents();
  ASSERT_FALSE(additionModel().write(image, path));
  EXPECT_EQ(first, contents());
  EXPECT_GT(first.size(), 4096u * 3);
}

TEST_F(ArtifactTest, NothingIsLeftOfWhatIsNotFinished) {
  {
    ArtifactWriter writer;
    ASSERT_FALSE(writer.open(path));
    uint32_t index = 0;
    ASSERT_FALSE(writer.addWeight({}, "abcd", 4, index));
  }
  EXPECT_EQ(files(), 0u);
  ASSERT_FALSE(additionModel().write(image, path));
  EXPECT_EQ(files(), 1u);
}

TEST_F(ArtifactTest, ABrokenModelGetsNoNameAndSparesTheOldFile) {
  std::ofstream(path) << "old";
  Model model = additionModel();
  model.program().body = 9;
  Error error = model.write(image, path);
  EXPECT_EQ(error.code(), HEDDLE_PLAN_INVALID);
  EXPECT_NE(error.message().find("enters an unknown block"), std::string::npos)
      << error.message();
  EXPECT_EQ(contents(), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(ArtifactTest, WeightsInPieces) {
  ArtifactWriter writer;
  ASSERT_FALSE(writer.openTemporary(nullptr));
  std::vector<char> piece(300000, 'x');
  WeightT weight;
  weight.symbol = "w";
  weight.dtype = DataType::ui8;
  weight.shape = {3000000};
  ASSERT_FALSE(writer.beginWeight(std::move(weight)));
  for (int i = 0; i < 10; ++i)
    ASSERT_FALSE(writer.append(piece.data(), piece.size()));
  uint32_t index = 7;
  ASSERT_FALSE(writer.endWeight(index));
  EXPECT_EQ(index, 0u);
  // The model's own weights come after it.
  Model model = additionModel();
  for (auto &buffer : model.plan.programs[0]->buffers)
    if (buffer->kind == BufferKind::weight)
      ++buffer->index;
  Error error = model.write(image, writer);
  ASSERT_FALSE(error) << error.message();
  ArtifactReader reader;
  ASSERT_FALSE(reader.open(writer.descriptor(), "in memory"));
  EXPECT_EQ(reader.weight(0).size, 3000000u);
  EXPECT_FALSE(reader.verifyWeights());
  std::vector<char> whole(3000000, 'x');
  EXPECT_TRUE(*reader.manifest().weights()->Get(0)->hash() ==
              hashBytes(whole.data(), whole.size()));
}

// All but the manifest is the same, byte for byte and place by place.
TEST_F(ArtifactTest, ACopyHasMoreRecordsAndNothingElse) {
  ASSERT_FALSE(additionModel().write(image, path));
  std::string first = contents();
  ArtifactReader source;
  ASSERT_FALSE(source.open(path));
  uint64_t sectionsEnd = source.header().manifestOffset;
  std::string copy = folder / "copy.heddle";
  ArtifactWriter writer;
  ASSERT_FALSE(writer.open(copy));
  Error error = writer.copyWith(source, {{"zzz.one", "1"}, {"aaa.two", "2"}});
  ASSERT_FALSE(error) << error.message();
  ArtifactReader reader;
  ASSERT_FALSE(reader.open(copy));
  EXPECT_FALSE(reader.verifyWeights());
  ASSERT_EQ(reader.header().manifestOffset, sectionsEnd);
  EXPECT_EQ(std::memcmp(reader.file().data + sizeof(Header),
                        first.data() + sizeof(Header),
                        sectionsEnd - sizeof(Header)),
            0);
  const auto *records = reader.manifest().records();
  const auto *before = source.manifest().records();
  ASSERT_EQ(records->size(), (before ? before->size() : 0) + 2);
  EXPECT_EQ(records->LookupByKey("aaa.two")->value()->str(), "2");
  EXPECT_EQ(records->LookupByKey("zzz.one")->value()->str(), "1");
  // Into a file that has something already, it is refused.
  ArtifactWriter used;
  ASSERT_FALSE(used.openTemporary(nullptr));
  uint32_t index = 0;
  ASSERT_FALSE(used.addWeight({}, "abcd", 4, index));
  EXPECT_TRUE(used.copyWith(source, {}));
}

TEST_F(ArtifactTest, MisuseOfTheWriter) {
  ArtifactWriter writer;
  uint32_t index = 0;
  EXPECT_TRUE(writer.beginWeight({}));
  EXPECT_TRUE(writer.addCode("x", 1, index));
  ASSERT_FALSE(writer.openTemporary(nullptr));
  EXPECT_TRUE(writer.append("x", 1));
  EXPECT_TRUE(writer.endWeight(index));
  ASSERT_FALSE(writer.beginWeight({}));
  EXPECT_TRUE(writer.beginWeight({}));
  EXPECT_TRUE(writer.addCode("x", 1, index));
  EXPECT_TRUE(writer.finish({}));
}

TEST_F(ArtifactTest, UnwritablePlaces) {
  for (const char *place : {"/no/such/folder/x.heddle", "/proc/x.heddle"}) {
    ArtifactWriter writer;
    Error error = writer.open(place);
    EXPECT_EQ(error.code(), HEDDLE_FILE_UNWRITABLE);
    EXPECT_NE(error.message().find(place), std::string::npos);
  }
}

/// Each change of the manifest is refused with a message that says why.
TEST_F(ArtifactTest, Manifests) {
  struct Case {
    const char *wanted;
    std::function<void(Model &)> change;
  };
  const Case cases[] = {
      {"needs 'time-travel'",
       [](Model &m) { m.manifest.required_features = {"time-travel"}; }},
      {"flushes subnormal numbers without saying",
       [](Model &m) { m.manifest.flush_subnormals = true; }},
      {"unknown extent",
       [](Model &m) { m.manifest.entries[0]->inputs[0]->shape[0] = 99; }},
      {"no proper type",
       [](Model &m) {
         m.manifest.entries[0]->inputs[0]->dtype = DataType::none;
       }},
      {"no proper type",
       [](Model &m) {
         m.manifest.entries[0]->inputs[0]->shape[0] = m.extent(-1);
       }},
      {"no proper type",
       [](Model &m) {
         m.manifest.entries[0]->inputs[0]->shape[0] =
             m.extent(int64_t(1) << 60);
       }},
      {"improper alignment",
       [](Model &m) { m.manifest.entries[0]->inputs[0]->alignment = 24; }},
      {"unknown input",
       [](Model &m) { m.manifest.entries[0]->outputs[0]->alias = 2; }},
      {"another type or shape",
       [](Model &m) {
         m.manifest.entries[0]->outputs[0]->alias = 0;
         m.manifest.entries[0]->outputs[0]->shape[0] = m.extent(20);
       }},
      {"another type or shape",
       [](Model &m) {
         m.manifest.entries[0]->outputs[0]->alias = 0;
         m.manifest.entries[0]->outputs[0]->dtype = DataType::i32;
       }},
      {"another output replaces",
       [](Model &m) {
         EntryT &entry = *m.manifest.entries[0];
         entry.outputs.push_back(std::make_unique<TensorT>(*entry.outputs[0]));
         entry.outputs[0]->alias = entry.outputs[1]->alias = 0;
       }},
      {"memory of another rank",
       [](Model &m) {
         m.manifest.entries[0]->outputs[0]->memory = {m.extent(1)};
       }},
      {"memory of another shape, and is an input",
       [](Model &m) {
         TensorT &input = *m.manifest.entries[0]->inputs[0];
         input.memory = input.shape;
       }},
      {"memory of another shape than the input that it replaces",
       [](Model &m) {
         TensorT &output = *m.manifest.entries[0]->outputs[0];
         output.alias = 0;
         output.memory = output.shape;
       }},
      // The plan would write 4000 bytes where callers give 4.
      {"memory of another shape, of a program that computes no size",
       [](Model &m) {
         m.manifest.required_features = {memoryFeature};
         TensorT &output = *m.manifest.entries[0]->outputs[0];
         output.memory = output.shape;
         output.shape.assign(output.shape.size(), m.extent(1));
       }},
      {"two variants are called 'x86-64-v3'",
       [](Model &m) {
         m.changeVariant = [](VariantT &variant) {
           variant.name = "x86-64-v3";
         };
       }},
      {"an entry has no program without a guard",
       [](Model &m) {
         m.manifest.entries.push_back(std::make_unique<EntryT>());
       }},
  };
  for (const Case &test : cases) {
    Model model = additionModel();
    test.change(model);
    Error error = model.write(image, path);
    EXPECT_NE(error.message().find(test.wanted), std::string::npos)
        << test.wanted << ": " << error.message();
  }
  EXPECT_EQ(files(), 0u);
}

/// What an entry says of sizes must be of those that there are.
TEST_F(ArtifactTest, Sizes) {
  struct Case {
    const char *wanted; ///< Null for what is good.
    std::function<void(ManifestT &, EntryT &)> change;
  };
  const Case cases[] = {
      {nullptr, [](ManifestT &, EntryT &) {}},
      {"without saying that it needs a reader that checks them",
       [](ManifestT &m, EntryT &) { m.required_features.clear(); }},
      {"assumes what is not there",
       [](ManifestT &m, EntryT &e) {
         e.assumptions[0]->zero = uint32_t(m.expressions.size());
       }},
      {"assumes what is not there",
       [](ManifestT &, EntryT &e) { e.assumptions[0]->node = 2; }},
      {"a symbol that no call gives",
       [](ManifestT &, EntryT &e) { e.given = {3}; }},
      {"a symbol that no call gives",
       [](ManifestT &, EntryT &e) { e.given = {1}; }},
      {"a symbol that no call gives",
       [](ManifestT &, EntryT &e) { e.given = {2, 2}; }},
      {"improper solution",
       [](ManifestT &, EntryT &e) { e.solutions[0] = Solution(3, 7, 2, 0); }},
      {"improper solution",
       [](ManifestT &, EntryT &e) { e.solutions[0] = Solution(2, 7, 2, 0); }},
      {"improper solution",
       [](ManifestT &, EntryT &e) { e.solutions.push_back(e.solutions[0]); }},
      {"improper solution",
       [](ManifestT &, EntryT &e) { e.solutions[0] = Solution(1, 8, 2, 0); }},
      {"improper solution",
       [](ManifestT &, EntryT &e) { e.solutions[0] = Solution(1, 7, 3, 0); }},
      {"improper solution",
       [](ManifestT &, EntryT &e) { e.solutions[0] = Solution(1, 7, 2, 1); }},
      {"unknown symbol",
       [](ManifestT &, EntryT &e) {
         e.solving.emplace_back(8, 0, 0, ExpressionKind::symbol);
       }},
      {"refers to a later one",
       [](ManifestT &, EntryT &e) {
         e.solving.emplace_back(0, 9, 0, ExpressionKind::add);
       }},
      {"improper bounds",
       [](ManifestT &m, EntryT &) { m.symbols[0]->multiple = 0; }},
      {"improper bounds",
       [](ManifestT &m, EntryT &) { m.symbols[0]->multiple = 65; }},
      {"which this version of heddle does not have",
       [](ManifestT &m, EntryT &) {
         m.symbols[2]->source = SymbolSource::rank;
       }},
      {"is counted by no output",
       [](ManifestT &m, EntryT &) {
         m.symbols[2]->source = SymbolSource::device;
       }},
      {"is counted by an output that is no scalar of i32",
       [](ManifestT &m, EntryT &) {
         SymbolT &symbol = *m.symbols[2];
         symbol.source = SymbolSource::device;
         symbol.minimum = 0;
         symbol.multiple = 1;
         symbol.index = 0;
       }},
  };
  for (const Case &test : cases) {
    Model model = solvedModel();
    test.change(model.manifest, *model.manifest.entries[0]);
    ArtifactWriter writer;
    ASSERT_FALSE(writer.openTemporary(nullptr));
    Error error = model.write(image, writer);
    if (!test.wanted) {
      EXPECT_FALSE(error) << error.message();
      continue;
    }
    EXPECT_NE(error.message().find(test.wanted), std::string::npos)
        << test.wanted << ": " << error.message();
  }
}

/// Memory of another shape is that of one output of one program.
TEST_F(ArtifactTest, Memories) {
  auto write = [&](void (*change)(ManifestT &, TensorT &)) {
    Model model = countedRestModel();
    change(model.manifest, *model.manifest.entries[0]->outputs[1]);
    return model.write(image, path).message();
  };
  EXPECT_EQ(write([](ManifestT &, TensorT &) {}), "");
  EXPECT_NE(write([](ManifestT &m, TensorT &) {
              m.required_features.clear();
            }).find("without saying that it needs a reader that gives it"),
            std::string::npos);
  EXPECT_NE(write([](ManifestT &m, TensorT &) {
              m.symbols[0]->source = SymbolSource::input;
            }).find("of a program that computes no size"),
            std::string::npos);
  // What is left of the largest count are -4.
  EXPECT_NE(write([](ManifestT &, TensorT &output) {
              output.whole = {-4};
            }).find("parts of another size"),
            std::string::npos);
  EXPECT_NE(write([](ManifestT &m, TensorT &output) {
              m.symbols[0]->maximum = 60;
              output.whole = {0};
            }).find("and is one rank's part"),
            std::string::npos);
}

/// Whatever has a name has one that is UTF-8.
TEST_F(ArtifactTest, Names) {
  struct Case {
    const char *what;
    std::function<std::string &(ManifestT &)> find;
  };
  const Case cases[] = {
      {"entry",
       [](ManifestT &m) -> std::string & { return m.entries[0]->name; }},
      {"input",
       [](ManifestT &m) -> std::string & {
         return m.entries[0]->inputs[0]->name;
       }},
      {"output",
       [](ManifestT &m) -> std::string & {
         return m.entries[0]->outputs[0]->name;
       }},
      {"symbol",
       [](ManifestT &m) -> std::string & { return m.symbols[0]->name; }},
      {"state",
       [](ManifestT &m) -> std::string & {
         m.states.push_back(std::make_unique<StateT>());
         return m.states.back()->name;
       }},
      {"variant",
       [](ManifestT &m) -> std::string & {
         m.variants.push_back(std::make_unique<VariantT>());
         return m.variants.back()->name;
       }},
  };
  // A byte that begins nothing, a character that is cut, a half of a pair of
  // UTF-16's, more bytes than are needed, what lies beyond Unicode.
  const char *const wrong[] = {"a\xff", "b\xe2\x82", "\xed\xa0\x80", "\xc0\xaf",
                               "\xf4\x90\x80\x80"};
  auto write = [&](const Case &test, const char *name) {
    Model model = solvedModel();
    test.find(model.manifest) = name;
    ArtifactWriter writer;
    EXPECT_FALSE(writer.openTemporary(nullptr));
    return model.write(image, writer);
  };
  for (const Case &test : cases) {
    Error error = write(test, "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
    EXPECT_EQ(error.message().find("no UTF-8"), std::string::npos)
        << error.message();
    for (const char *name : wrong) {
      error = write(test, name);
      std::string wanted = std::string("the name of ") + test.what + " '" +
                           name + "' is no UTF-8";
      EXPECT_NE(error.message().find(wanted), std::string::npos)
          << wanted << ": " << error.message();
    }
  }
}

/// What a weight's record says of its layout and its scales must be so.
TEST_F(ArtifactTest, RecordsOfWeights) {
  struct Case {
    const char *wanted; ///< Null for what is good.
    std::function<void(WeightT &, WeightT &)> change;
  };
  const Case cases[] = {
      {nullptr, [](WeightT &, WeightT &) {}},
      {nullptr, [](WeightT &w, WeightT &) { w.zero_point = 0; }},
      {nullptr,
       [](WeightT &w, WeightT &) {
         w.whole = {4, 6};
         w.cuts = {Cut(1, 1, 1)};
       }},
      {"is cut where it cannot be",
       [](WeightT &w, WeightT &) { w.cuts = {Cut(0, 1, 1)}; }},
      {"is cut where it cannot be",
       [](WeightT &w, WeightT &) {
         w.whole = {4, 6};
         w.cuts = {Cut(2, 1, 1)};
       }},
      {"is cut where it cannot be", // there is one rank
       [](WeightT &w, WeightT &) {
         w.whole = {4, 6};
         w.cuts = {Cut(0, 2, 1)};
       }},
      {"is cut where it cannot be",
       [](WeightT &w, WeightT &) {
         w.whole = {4, 6};
         w.cuts = {Cut(0, 1, 0)};
       }},
      {"is cut where it cannot be",
       [](WeightT &w, WeightT &) {
         w.whole = {4, 6};
         w.cuts = {Cut(0, 0, 1)};
       }},
      {nullptr,
       [](WeightT &w, WeightT &s) {
         w.block.clear();
         w.scale = none;
         s.shape = {4};
       }},
      {"has no proper layout",
       [](WeightT &w, WeightT &) { w.packing = "n32k1"; }},
      {"has no proper layout",
       [](WeightT &w, WeightT &) {
         w.packing = "* k n -> * n/99999999999 k n%99999999999 in u8";
       }},
      {"is not stored as its layout says",
       [](WeightT &w, WeightT &) { w.logical_shape = {5, 6}; }},
      {"is not stored as its layout says",
       [](WeightT &w, WeightT &) { w.logical_shape = {-4, 6}; }},
      {"is not stored as its layout says",
       [](WeightT &w, WeightT &) { w.logical_shape = {4, int64_t(1) << 62}; }},
      {"is not stored as its layout says",
       [](WeightT &w, WeightT &) { w.logical_shape.clear(); }},
      {"is not stored as its layout says",
       [](WeightT &w, WeightT &) { w.shape = {3, 2, 2, 2}; }},
      {"is not stored as its layout says",
       [](WeightT &w, WeightT &) { w.format = DataType::i2; }},
      {"is not stored as its layout says",
       [](WeightT &w, WeightT &) { w.format = static_cast<DataType>(99); }},
      {"is not stored as its layout says",
       [](WeightT &w, WeightT &) { w.dtype = DataType::i16; }},
      {"has a logical type but no layout",
       [](WeightT &w, WeightT &) { w.packing.clear(); }},
      {"has scales but no blocks",
       [](WeightT &w, WeightT &) { w.block.clear(); }},
      {"has improper blocks", [](WeightT &w, WeightT &) { w.scale = none; }},
      {"has improper blocks", [](WeightT &w, WeightT &) { w.block = {2}; }},
      {"has improper blocks", [](WeightT &w, WeightT &) { w.block = {2, 0}; }},
      {"has improper blocks", [](WeightT &w, WeightT &) { w.block = {2, -1}; }},
      {"names an unknown weight", [](WeightT &w, WeightT &) { w.scale = 7; }},
      {"names an unknown weight",
       [](WeightT &w, WeightT &) { w.zero_point = 7; }},
      {"has scales that are scaled",
       [](WeightT &w, WeightT &) { w.scale = 1; }},
      {"has blocks that its scales do not fit",
       [](WeightT &w, WeightT &) { w.block = {2, 2}; }},
      {"has blocks that its scales do not fit",
       [](WeightT &, WeightT &s) { s.shape = {4}; }},
  };
  for (const Case &test : cases) {
    // Four bits in pairs, scaled by the two halves of each column's rows.
    WeightT scale, weight;
    scale.symbol = "s";
    scale.dtype = DataType::i8;
    scale.shape = {2, 2};
    weight.symbol = "w";
    weight.dtype = DataType::i8;
    weight.shape = {2, 2, 3, 1};
    weight.packing = "k n -> n/3 k/2 n%3 k%2 in u8";
    weight.format = DataType::i4;
    weight.logical_shape = {4, 6};
    weight.block = {2, 3};
    weight.scale = 0;
    test.change(weight, scale);
    ArtifactWriter writer;
    ASSERT_FALSE(writer.openTemporary(nullptr));
    uint32_t index = 0;
    ASSERT_FALSE(writer.addWeight(std::move(scale), "abcd", 4, index));
    ASSERT_FALSE(
        writer.addWeight(std::move(weight), "abcdefghijkl", 12, index));
    Model model = additionModel();
    for (auto &buffer : model.plan.programs[0]->buffers)
      if (buffer->kind == BufferKind::weight)
        buffer->index += 2;
    Error error = model.write(image, writer);
    if (!test.wanted) {
      EXPECT_FALSE(error) << error.message();
      continue;
    }
    EXPECT_NE(error.message().find(test.wanted), std::string::npos)
        << test.wanted << ": " << error.message();
  }
}

TEST(DataTypes, NamesAndSizes) {
  EXPECT_STREQ(dataTypeName(DataType::f8e4m3b11fnuz), "f8e4m3b11fnuz");
  EXPECT_STREQ(dataTypeName(DataType::none), "?");
  EXPECT_STREQ(dataTypeName(static_cast<DataType>(200)), "?");
  EXPECT_EQ(elementBytes(static_cast<DataType>(27)), 0u);
  // Every type that has a name has a size, and the other way round.
  for (int i = 1; i < 256; ++i) {
    auto type = static_cast<DataType>(i);
    EXPECT_EQ(elementBytes(type) != 0, std::string(dataTypeName(type)) != "?");
  }
}
