// Reads an artifact, believing nothing.

#ifndef HEDDLE_RUNTIME_FORMAT_ARTIFACTREADER_H
#define HEDDLE_RUNTIME_FORMAT_ARTIFACTREADER_H

#include "runtime/format/Error.h"
#include "runtime/format/Layout.h"

#include <string>
#include <vector>

namespace heddle::format {

/// Bytes of the mapped artifact.
struct Bytes {
  const char *data = nullptr;
  uint64_t size = 0;
};

/// An artifact mapped for reading. `open` accepts it only when everything but
/// the weights has been checked: header, version, features, offsets, sizes,
/// hashes of manifest, plans and code, padding between sections, all cross
/// references, the shape of the ELF images, and the plans (PlanVerifier.h).
/// After it succeeded, every index and range in manifest and plans is good.
/// Nothing is ever executed.
class ArtifactReader {
public:
  ArtifactReader() = default;
  ~ArtifactReader();
  ArtifactReader(const ArtifactReader &) = delete;
  ArtifactReader &operator=(const ArtifactReader &) = delete;

  Error open(const std::string &path);
  /// Keeps a duplicate of `descriptor`; `name` is for messages.
  Error open(int descriptor, const std::string &name);
  /// The bytes must stay as they are while the reader is in use, unless they do
  /// not start at a multiple of 64: then they are copied.
  Error openMemory(const void *data, uint64_t bytes);

  const Manifest &manifest() const { return *root; }
  const Header &header() const;
  Bytes file() const { return mapped; }
  /// To map parts of the file again; -1 when it came from memory.
  int descriptor() const { return fd; }

  Bytes section(uint32_t index) const;
  Bytes weight(uint32_t index) const;
  /// Why variant `index` was skipped: it needs what this reader does not know.
  /// Empty for all others; only they were checked, and have a plan.
  const std::string &skipped(uint32_t variant) const {
    return skipReasons[variant];
  }
  /// The plan of a variant that was not skipped.
  const Plan &plan(uint32_t variant) const;

  /// Reads weight `index` and compares its hash.
  Error verifyWeight(uint32_t index) const;
  /// All weights, and that the bytes between them are zero.
  Error verifyWeights() const;

private:
  void close();
  Error fail(heddle_code code, const std::string &what) const;
  Error check();
  Error checkHeader() const;
  Error checkManifest();
  Error checkSections() const;
  Error checkVariants();
  Error checkVariant(const Variant &variant) const;
  Error checkZero(uint64_t begin, uint64_t end) const;

  Bytes mapped;
  const Manifest *root = nullptr;
  std::vector<std::string> skipReasons; ///< By variant.
  std::string name;
  int fd = -1;
  bool owned = false; ///< The mapping is ours.
};

} // namespace heddle::format

#endif // HEDDLE_RUNTIME_FORMAT_ARTIFACTREADER_H
