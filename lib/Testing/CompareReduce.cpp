// heddle compare --reduce: the smallest piece of a model that still computes
// something else when it is compiled.
//
// A piece is a set of operations that leads to one value. What other operations
// compute becomes an argument, whose data the interpreter has computed; so a
// piece stands alone, with its inputs in an .npz beside it.

#include "Comparison.h"

#include "Probes.h"
#include "heddle/Driver/Dump.h"

#include "heddle/Driver/Model.h"
#include "heddle/Reference/Interpreter.h"
#include "heddle/Support/TensorFile.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"

#include <map>

using namespace mlir;
using namespace heddle;

namespace {
class Reducer {
public:
  explicit Reducer(const Subject &subject)
      : subject(subject), entry(entryFunction(subject.module)) {
    for (Operation &op : entry.front()) {
      positions[&op] = operations.size();
      operations.push_back(&op);
    }
  }

  /// False after an error, which has been reported.
  bool run(llvm::json::Object &document);

private:
  bool record();
  std::optional<std::vector<unsigned>> findPiece();
  std::vector<unsigned> sliceOf(const Probe &target, size_t most);
  void shrink(std::vector<unsigned> &kept);
  bool differs(ArrayRef<unsigned> kept, const Probe &candidate);
  Tensors feedsOf(const Slice &slice);
  bool write(llvm::json::Object &document, ArrayRef<unsigned> kept);

  const Subject &subject;
  func::FuncOp entry;
  llvm::DenseMap<Operation *, unsigned> positions;
  std::vector<Operation *> operations;
  /// What each value of the whole program is, by operation and result.
  std::map<std::pair<unsigned, unsigned>, HostTensor> values;
  Probe target;
  unsigned tried = 0;
};
} // namespace

/// Interprets the whole program once, and keeps what every operation computes.
bool Reducer::record() {
  InterpreterOptions options = interpreterOptions(subject);
  if (subject.command.threads)
    options.threads = subject.command.threads;
  options.onResults = [&](Operation *op, ArrayRef<HostTensor> results) {
    auto position = positions.find(op);
    if (position == positions.end() || results.size() != op->getNumResults())
      return;
    for (auto [i, tensor] : llvm::enumerate(results))
      values[{position->second, i}] = tensor;
  };
  return succeeded(interpret(entry, subject.inputs, options));
}

Tensors Reducer::feedsOf(const Slice &slice) {
  Tensors feeds;
  for (const Slice::Source &source : slice.sources)
    feeds.push_back(
        source.probe ? values[{source.probe->operation, source.probe->result}]
                     : subject.inputs[source.argument]);
  return feeds;
}

/// Whether the piece, compiled, computes something else than interpreted. A
/// piece that cannot be compiled or interpreted does not count: it fails for
/// another reason.
bool Reducer::differs(ArrayRef<unsigned> kept, const Probe &candidate) {
  ++tried;
  MLIRContext *context = entry.getContext();
  ScopedDiagnosticHandler quiet(context,
                                [](Diagnostic &) { return success(); });
  Slice slice = cutOut(subject.module, kept, candidate);
  if (!slice.module)
    return false;
  Tensors feeds = feedsOf(slice);
  if (llvm::any_of(feeds, [](const HostTensor &tensor) { return !tensor; }))
    return false;
  auto expected = interpretModule(subject, *slice.module, feeds);
  if (!expected)
    return false;
  auto actual = runCompiled(subject, *slice.module, feeds);
  if (!actual)
    return false;
  TensorSignature signature{candidate.name, candidate.type};
  auto list = compareAll(subject, signature, *actual, *expected);
  return list && firstWrong(*list);
}

/// The last `most` of the operations that the target depends on, without
/// constants.
std::vector<unsigned> Reducer::sliceOf(const Probe &target, size_t most) {
  llvm::SetVector<unsigned> needed;
  needed.insert(target.operation);
  std::vector<unsigned> kept;
  // A value is defined before its uses: backwards every need is known in time.
  for (unsigned position = target.operation + 1;
       position-- > 0 && kept.size() < most;) {
    Operation *op = operations[position];
    if (!needed.contains(position) || op->hasTrait<OpTrait::ConstantLike>())
      continue;
    kept.push_back(position);
    op->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (Operation *definition = operand.getDefiningOp())
          if (auto found = positions.find(definition); found != positions.end())
            needed.insert(found->second);
    });
  }
  return kept;
}

/// Operations that differ together, and the target that shows it: of the first
/// value, in the program's order, that a piece of few operations gets wrong;
/// pieces grow until one is found.
std::optional<std::vector<unsigned>> Reducer::findPiece() {
  std::vector<Probe> probes = listProbes(entry);
  for (size_t most = 1;; most *= 4) {
    for (const Probe &probe : probes) {
      std::vector<unsigned> kept = sliceOf(probe, most);
      // A shorter slice has been tried before.
      if (most > 1 && kept.size() <= most / 4)
        continue;
      if (differs(kept, probe)) {
        target = probe;
        return kept;
      }
    }
    if (most >= operations.size())
      return std::nullopt;
  }
}

/// Leaves operations out, in halves, quarters, ... and one by one, as long as
/// the rest still differs.
void Reducer::shrink(std::vector<unsigned> &kept) {
  for (size_t width = std::max<size_t>(kept.size() / 2, 1);;) {
    bool changed = false;
    // From the back: the earliest operations go first.
    for (size_t end = kept.size(); end > 1 && kept.size() > 1;) {
      size_t begin = std::max<size_t>(end > width ? end - width : 1, 1);
      std::vector<unsigned> fewer(kept.begin(), kept.begin() + begin);
      fewer.insert(fewer.end(), kept.begin() + end, kept.end());
      if (fewer.size() < kept.size() && differs(fewer, target)) {
        kept = std::move(fewer);
        changed = true;
      }
      end = begin;
    }
    if (width == 1 && !changed)
      return;
    width = std::max<size_t>(width / 2, 1);
  }
}

/// Values of weights into the IR, so that the piece needs no other file.
static void inlineWeights(ModuleOp module) {
  module.walk([](Operation *op) {
    auto weight = op->getAttrOfType<DenseResourceElementsAttr>("value");
    if (!weight)
      return;
    if (std::optional<HostTensor> tensor = HostTensor::fromAttribute(weight))
      op->setAttr("value", tensor->toAttribute());
  });
}

bool Reducer::write(llvm::json::Object &document, ArrayRef<unsigned> kept) {
  Slice slice = cutOut(subject.module, kept, target);
  inlineWeights(*slice.module);
  StringRef path = subject.command.reduced;
  DiagnosticPrinter &diagnostics = subject.session.diagnostics;
  if (!mayWriteTo(subject.session, path))
    return false;
  std::error_code problem;
  llvm::ToolOutputFile file(path, problem, llvm::sys::fs::OF_Text);
  if (!problem) {
    slice.module->print(file.os(), OpPrintingFlags().enableDebugInfo());
    file.os().flush();
    problem = file.os().error();
    file.os().clear_error();
  }
  if (problem) {
    diagnostics.report(ErrorCode::FileUnwritable,
                       path + ": " + problem.message());
    return false;
  }

  SmallString<128> feedsPath(path);
  llvm::sys::path::replace_extension(feedsPath, "npz");
  std::vector<NamedTensor> named;
  for (auto [signature, tensor] :
       llvm::zip(inputSignatures(entryFunction(*slice.module)), feedsOf(slice)))
    named.push_back({signature.name, tensor});
  auto bytes = encodeNpz(named);
  llvm::Error error = bytes.takeError();
  if (!error)
    error = writeBytes(feedsPath, *bytes);
  if (error) {
    diagnostics.report(ErrorCode::FileUnwritable,
                       llvm::toString(std::move(error)));
    return false;
  }
  file.keep();
  subject.session.text() << path << ": " << slice.operations << " of "
                         << operations.size() << " operations, for "
                         << target.name << "; " << tried
                         << " pieces were tried\nheddle compare " << path
                         << " --inputs " << feedsPath << "\n";
  document["reduced"] =
      llvm::json::Object{{"module", path.str()},
                         {"inputs", feedsPath.str().str()},
                         {"node", llvm::json::fixUTF8(target.name)},
                         {"operations", int64_t(slice.operations)}};
  return true;
}

bool Reducer::run(llvm::json::Object &document) {
  if (!record())
    return false;
  std::optional<std::vector<unsigned>> kept = findPiece();
  if (!kept) {
    subject.session.text() << "no piece that leads to one value differs: there "
                              "is nothing to reduce\n";
    document["reduced"] = nullptr;
    return true;
  }
  shrink(*kept);
  return write(document, *kept);
}

bool heddle::reduceModel(const Subject &subject, llvm::json::Object &document) {
  return Reducer(subject).run(document);
}
