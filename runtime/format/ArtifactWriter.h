// Writes an artifact as it is made.

#ifndef HEDDLE_RUNTIME_FORMAT_ARTIFACTWRITER_H
#define HEDDLE_RUNTIME_FORMAT_ARTIFACTWRITER_H

#include "runtime/format/Error.h"
#include "runtime/format/Layout.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace heddle::format {

class ArtifactReader;

/// Streams an artifact to a file: what was appended leaves memory at once, so
/// the peak is a buffer of 1 MiB and the manifest. Nothing is seen under the
/// final name before `finish` has succeeded, and an abandoned writer (even a
/// killed one, where the file system can) leaves nothing behind.
///
/// Each weight is appended in any number of pieces between `beginWeight` and
/// `endWeight`, which gives its index for Buffer.index. Code and plans are
/// added whole and give the numbers of their sections. `finish` fills in the
/// manifest's sections and weights, and checks plans by the plan verifier:
///
///   ArtifactWriter writer;
///   writer.open("model.heddle");
///   writer.beginWeight(std::move(weight));
///   writer.append(piece, bytes);
///   writer.endWeight(index);
///   writer.addCode(elf.data(), elf.size(), variant->code);
///   writer.addPlan(plan, variant->plan);
///   writer.finish(std::move(manifest));
///
/// Equal calls give equal bytes.
class ArtifactWriter {
public:
  ArtifactWriter();
  ~ArtifactWriter();
  ArtifactWriter(const ArtifactWriter &) = delete;
  ArtifactWriter &operator=(const ArtifactWriter &) = delete;

  /// Starts the file that `finish` puts at `path`, replacing what is there.
  Error open(const std::string &path);
  /// Starts a file without a name: for a model that is compiled and run at
  /// once. It goes away with the last descriptor. `folder` null: in memory.
  Error openTemporary(const char *folder);

  /// Starts a weight: the section, offset, size and hash are filled in.
  Error beginWeight(WeightT weight);
  Error append(const void *data, size_t bytes);
  /// Ends the weight; `index` is its place in Manifest.weights.
  Error endWeight(uint32_t &index);
  /// A weight that is at hand as a whole.
  Error addWeight(WeightT weight, const void *data, size_t bytes,
                  uint32_t &index);

  /// Adds a code section: one ELF image.
  Error addCode(const void *elf, size_t bytes, uint32_t &section);
  /// Adds a plan section. Equal plans share one.
  Error addPlan(const PlanT &plan, uint32_t &section);

  /// Writes all of another artifact, with more records, and ends with `finish`:
  /// its weights, code and plans are the same bytes at the same places. Nothing
  /// else may be appended.
  Error
  copyWith(const ArtifactReader &source,
           const std::vector<std::pair<std::string, std::string>> &records);

  /// Writes manifest and header, checks the result as a reader would (all but
  /// the hashes of weights), and gives the file its name.
  Error finish(ManifestT manifest);

  /// The open file, until the writer goes: "/proc/self/fd/<n>" can be loaded.
  int descriptor() const;
  /// Bytes written so far.
  uint64_t size() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace heddle::format

#endif // HEDDLE_RUNTIME_FORMAT_ARTIFACTWRITER_H
