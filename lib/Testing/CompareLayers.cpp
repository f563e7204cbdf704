// heddle compare --layers: which node is the first to compute something else
// than the interpreter.

#include "Comparison.h"
#include "Probes.h"

#include "heddle/Driver/Model.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace heddle;

/// Values that one program returns. A value that is returned cannot be fused
/// away, so a few at a time leave the program much as it is.
static constexpr size_t kProbesAtOnce = 32;

namespace {
/// What the compiled program computes at some of the model's values.
struct Readings {
  std::vector<Probe> probes;
  std::vector<Comparison> list;
};
} // namespace

static std::optional<Readings> read(const Subject &subject,
                                    std::vector<Probe> probes) {
  SmallVector<TensorSignature> signatures;
  for (const Probe &probe : probes)
    signatures.push_back({probe.name, probe.type});
  OwningOpRef<ModuleOp> module = returningProbes(subject.module, probes);
  auto expected = interpretModule(subject, *module, subject.inputs);
  if (!expected)
    return std::nullopt;
  auto actual = runCompiled(subject, *module, subject.inputs);
  if (!actual)
    return std::nullopt;
  auto list = compareAll(subject, signatures, *actual, *expected);
  if (!list)
    return std::nullopt;
  return Readings{std::move(probes), std::move(*list)};
}

bool heddle::compareLayers(const Subject &subject,
                           llvm::json::Object &document) {
  std::vector<Probe> all = listProbes(entryFunction(subject.module));
  raw_ostream &os = subject.session.text();
  // All values before `begin` that were looked at agree; the one at `end` does
  // not, if it is one.
  size_t begin = 0, end = all.size();
  std::optional<Comparison> wrong;
  std::optional<Probe> where;
  while (begin < end) {
    size_t count = std::min(kProbesAtOnce, end - begin);
    std::vector<Probe> probes;
    std::vector<size_t> positions;
    for (size_t i = 1; i <= count; ++i) {
      positions.push_back(begin + (end - begin) * i / count - 1);
      probes.push_back(all[positions.back()]);
    }
    std::optional<Readings> readings = read(subject, std::move(probes));
    if (!readings)
      return false;
    bool isExhaustive = count == end - begin;
    const Comparison *first = firstWrong(readings->list);
    // Nothing in this part differs: the node after it, if any, is the one.
    if (!first)
      break;
    size_t index = first - readings->list.data();
    wrong = *first;
    where = readings->probes[index];
    if (isExhaustive)
      break;
    end = positions[index];
    begin = index ? positions[index - 1] + 1 : begin;
  }

  if (!wrong) {
    os << "layers: none of " << all.size()
       << " values differs when the program returns it\n";
    document["layers"] = llvm::json::Object{{"values", int64_t(all.size())}};
    return true;
  }
  os << "layers: the first of " << all.size() << " values that differs is of "
     << where->name << ": "
     << distanceText(wrong->distance, where->type.getShape()) << "\n";
  document["layers"] =
      llvm::json::Object{{"values", int64_t(all.size())},
                         {"first_differing", llvm::json::fixUTF8(where->name)},
                         {"relative_l2", wrong->distance.relativeL2},
                         {"max_absolute", wrong->distance.maxAbsolute}};
  return true;
}
