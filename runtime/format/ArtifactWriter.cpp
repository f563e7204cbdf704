// Writes sections as they come, and names the file once a reader accepts it.

#include "runtime/format/ArtifactWriter.h"

#include "runtime/format/ArtifactReader.h"
#include "runtime/format/HashStream.h"
#include "runtime/format/OutputFile.h"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <vector>

namespace heddle::format {

struct ArtifactWriter::State {
  OutputFile file;
  std::vector<Section> sections;
  std::vector<std::unique_ptr<WeightT>> weights;
  HashStream hash;          ///< Of the open weight.
  uint64_t weightStart = 0; ///< Its place in the file.
  bool inWeight = false;
  bool inWeights = false; ///< The last section holds weights and can grow.

  Error begin(Error opened);
  Error align(uint64_t alignment);
  Error beginSection(SectionKind kind);
  Error addSection(SectionKind kind, const void *data, size_t bytes,
                   uint32_t &index);
};

/// Using the writer out of order is a fault of the compiler.
static Error misuse(const char *what) {
  return {HEDDLE_ARGUMENT_INVALID, std::string("artifact writer: ") + what};
}

Error ArtifactWriter::State::begin(Error opened) {
  if (opened)
    return opened;
  return file.appendZeros(sizeof(Header));
}

Error ArtifactWriter::State::align(uint64_t alignment) {
  return file.appendZeros(alignUp(file.size(), alignment) - file.size());
}

Error ArtifactWriter::State::beginSection(SectionKind kind) {
  if (Error error = align(pageBytes))
    return error;
  inWeights = kind == SectionKind::weights;
  sections.emplace_back(file.size(), 0, Hash(0, 0), kind);
  return {};
}

Error ArtifactWriter::State::addSection(SectionKind kind, const void *data,
                                        size_t bytes, uint32_t &index) {
  if (!file.size())
    return misuse("no file is open");
  if (inWeight)
    return misuse("a weight is still open");
  Hash contents = hashBytes(data, bytes);
  for (const Section &section : sections)
    if (section.kind() == kind && section.size() == bytes &&
        section.hash() == contents) {
      index = static_cast<uint32_t>(&section - sections.data());
      return {};
    }
  if (Error error = beginSection(kind))
    return error;
  sections.back() = Section(file.size(), bytes, contents, kind);
  index = static_cast<uint32_t>(sections.size() - 1);
  return file.append(data, bytes);
}

ArtifactWriter::ArtifactWriter() : state(new State) {}
ArtifactWriter::~ArtifactWriter() = default;

Error ArtifactWriter::open(const std::string &path) {
  return state->begin(state->file.open(path));
}

Error ArtifactWriter::openTemporary(const char *folder) {
  return state->begin(state->file.openTemporary(folder));
}

int ArtifactWriter::descriptor() const { return state->file.descriptor(); }
uint64_t ArtifactWriter::size() const { return state->file.size(); }

Error ArtifactWriter::beginWeight(WeightT weight) {
  if (!state->file.size() || state->inWeight)
    return misuse("a weight begins in another, or without a file");
  if (!state->inWeights)
    if (Error error = state->beginSection(SectionKind::weights))
      return error;
  if (Error error = state->align(weightAlignment))
    return error;
  state->weights.push_back(std::make_unique<WeightT>(std::move(weight)));
  state->weightStart = state->file.size();
  state->hash.reset();
  state->inWeight = true;
  return {};
}

Error ArtifactWriter::append(const void *data, size_t bytes) {
  if (!state->inWeight)
    return misuse("bytes without a weight");
  state->hash.append(data, bytes);
  return state->file.append(data, bytes);
}

Error ArtifactWriter::endWeight(uint32_t &index) {
  if (!state->inWeight)
    return misuse("the end of no weight");
  state->inWeight = false;
  Section &section = state->sections.back();
  WeightT &weight = *state->weights.back();
  weight.section = static_cast<uint32_t>(state->sections.size() - 1);
  weight.offset = state->weightStart - section.offset();
  weight.size = state->file.size() - state->weightStart;
  weight.hash = std::make_unique<Hash>(state->hash.finish());
  section = Section(section.offset(), state->file.size() - section.offset(),
                    Hash(0, 0), SectionKind::weights);
  index = static_cast<uint32_t>(state->weights.size() - 1);
  return {};
}

Error ArtifactWriter::addWeight(WeightT weight, const void *data, size_t bytes,
                                uint32_t &index) {
  if (Error error = beginWeight(std::move(weight)))
    return error;
  if (Error error = append(data, bytes))
    return error;
  return endWeight(index);
}

Error ArtifactWriter::addCode(const void *elf, size_t bytes,
                              uint32_t &section) {
  return state->addSection(SectionKind::code, elf, bytes, section);
}

Error ArtifactWriter::addPlan(const PlanT &plan, uint32_t &section) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(Plan::Pack(builder, &plan));
  return state->addSection(SectionKind::plan, builder.GetBufferPointer(),
                           builder.GetSize(), section);
}

/// Sorts by key; flatbuffers looks keys up by bisection.
static void sortByKey(std::vector<std::unique_ptr<KeyValueT>> &pairs) {
  std::sort(pairs.begin(), pairs.end(), [](const auto &a, const auto &b) {
    return std::tie(a->key, a->value) < std::tie(b->key, b->value);
  });
}

Error ArtifactWriter::copyWith(
    const ArtifactReader &source,
    const std::vector<std::pair<std::string, std::string>> &records) {
  State &s = *state;
  if (!s.file.size() || !s.sections.empty())
    return misuse("a copy goes into a file that is open and empty");
  const auto *sections = source.manifest().sections();
  for (uint32_t i = 0; sections && i < sections->size(); ++i) {
    if (Error error = s.align(pageBytes))
      return error;
    Bytes bytes = source.section(i);
    if (sections->Get(i)->offset() != s.file.size())
      return misuse("sections of what is copied are not in their order");
    s.sections.push_back(*sections->Get(i));
    if (Error error = s.file.append(bytes.data, bytes.size))
      return error;
  }
  std::unique_ptr<ManifestT> manifest(source.manifest().UnPack());
  s.weights = std::move(manifest->weights);
  for (const auto &[key, value] : records) {
    auto pair = std::make_unique<KeyValueT>();
    pair->key = key;
    pair->value = value;
    manifest->records.push_back(std::move(pair));
  }
  return finish(std::move(*manifest));
}

Error ArtifactWriter::finish(ManifestT manifest) {
  State &s = *state;
  if (!s.file.size() || s.inWeight)
    return misuse("finished before it was whole");
  manifest.sections = s.sections;
  manifest.weights = std::move(s.weights);
  sortByKey(manifest.provenance);
  sortByKey(manifest.records);
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(Manifest::Pack(builder, &manifest));

  if (Error error = s.align(pageBytes))
    return error;
  Header header = {};
  std::memcpy(header.magic, magic, sizeof(magic));
  header.major = majorVersion;
  header.minor = minorVersion;
  header.manifestOffset = s.file.size();
  header.manifestBytes = builder.GetSize();
  header.fileBytes = header.manifestOffset + header.manifestBytes;
  Hash hash = hashBytes(builder.GetBufferPointer(), builder.GetSize());
  header.manifestHash[0] = hash.low();
  header.manifestHash[1] = hash.high();
  hash = hashBytes(&header, offsetof(Header, hash));
  header.hash[0] = hash.low();
  header.hash[1] = hash.high();
  if (Error error =
          s.file.append(builder.GetBufferPointer(), builder.GetSize()))
    return error;
  if (Error error = s.file.patch(0, &header, sizeof(header)))
    return error;

  // What a reader would refuse must not get a name.
  ArtifactReader reader;
  if (Error error = reader.open(s.file.descriptor(), "the new artifact"))
    return error;
  return s.file.publish();
}

} // namespace heddle::format
