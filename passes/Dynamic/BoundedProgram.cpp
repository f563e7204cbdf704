// A model of ranged sizes is read for its largest sizes and for others, and
// what follows from them becomes one program.

#include "passes/Dynamic/BoundedProgram.h"

#include "heddle/Support/Diagnostics.h"
#include "passes/Dynamic/BoundDimensions.h"

#include <map>

using namespace mlir;
using namespace heddle;

OwningOpRef<ModuleOp> heddle::tryImport(MLIRContext *context,
                                        ArrayRef<int64_t> sizes,
                                        ImportAt importAt,
                                        std::string &complaint) {
  ScopedDiagnosticHandler listen(context, [&](Diagnostic &error) {
    if (complaint.empty() && error.getSeverity() == DiagnosticSeverity::Error) {
      complaint = error.str();
      (void)takeErrorCode(complaint);
    }
    return success();
  });
  return importAt(sizes);
}

/// "x.0 = 7, y.0 = 8".
static std::string describe(ArrayRef<BoundedSymbol> symbols,
                            ArrayRef<int64_t> sizes) {
  std::string text;
  for (auto [symbol, size] : llvm::zip_equal(symbols, sizes))
    text +=
        (text.empty() ? "" : ", ") + symbol.name + " = " + std::to_string(size);
  return text;
}

namespace {
/// The programs for some sizes, of which one for all is made.
class Sampler {
public:
  Sampler(MLIRContext *context, ArrayRef<BoundedSymbol> symbols,
          bool oneIsSpecial, ImportAt importAt)
      : context(context), symbols(symbols), oneIsSpecial(oneIsSpecial),
        importAt(importAt) {}

  OwningOpRef<ModuleOp> run();

private:
  OwningOpRef<ModuleOp> importLargest() { return importAt(maxima(symbols)); }
  SampleSizes samples() {
    return SampleSizes(context, symbols.vec(), oneIsSpecial, taken);
  }
  /// Reads the model at `points`; those it takes are sampled, too.
  void add(ArrayRef<SmallVector<int64_t>> points);
  OwningOpRef<ModuleOp> combine(OwningOpRef<ModuleOp> largest,
                                const SampleSizes &sizes);

  MLIRContext *context;
  ArrayRef<BoundedSymbol> symbols;
  bool oneIsSpecial;
  ImportAt importAt;
  /// By their sizes; null where the model does not take them.
  std::map<std::vector<int64_t>, OwningOpRef<ModuleOp>> programs;
  SmallVector<SmallVector<int64_t>> taken;
};
} // namespace

void Sampler::add(ArrayRef<SmallVector<int64_t>> points) {
  for (const SmallVector<int64_t> &point : points) {
    auto [known, isNew] =
        programs.try_emplace(std::vector<int64_t>(point.begin(), point.end()));
    if (!isNew)
      continue;
    std::string complaint;
    known->second = tryImport(context, point, importAt, complaint);
    if (known->second)
      taken.push_back(point);
  }
}

/// One program for all sizes, by those at the points.
OwningOpRef<ModuleOp> Sampler::combine(OwningOpRef<ModuleOp> largest,
                                       const SampleSizes &sizes) {
  std::vector<OwningOpRef<ModuleOp>> others;
  for (const SmallVector<int64_t> &point : sizes.points().drop_front()) {
    std::string complaint;
    others.push_back(
        std::move(programs[std::vector<int64_t>(point.begin(), point.end())]));
    if (!others.back())
      others.back() = tryImport(context, point, importAt, complaint);
    if (!others.back()) {
      emitError(largest->getLoc(), ErrorCode::StableHloDynamicShape)
          << "the sizes " << describe(symbols, point)
          << " lie within their ranges, but the model does not take them: "
          << complaint
          << "; fix them, or give others by --shape NAME=LEAST..LARGEST";
      return nullptr;
    }
  }
  SmallVector<ModuleOp> modules =
      llvm::map_to_vector(others, [](auto &module) { return module.get(); });
  if (failed(boundDimensions(*largest, modules, sizes)))
    return nullptr;
  return largest;
}

OwningOpRef<ModuleOp> Sampler::run() {
  // What is wrong with the model itself is told in its own words.
  OwningOpRef<ModuleOp> largest = importLargest();
  if (!largest)
    return nullptr;
  add(leastPoints(symbols, oneIsSpecial));
  SampleSizes sizes = samples();
  std::vector<Diagnostic> said;
  {
    ScopedDiagnosticHandler listen(context, [&](Diagnostic &error) {
      said.push_back(std::move(error));
      return success();
    });
    largest = combine(std::move(largest), sizes);
  }
  if (largest || !sizes.wantsMore()) {
    for (Diagnostic &diagnostic : said)
      context->getDiagEngine().emit(std::move(diagnostic));
    return largest;
  }
  // Quotients show at many points only.
  add(sizes.densePoints(oneIsSpecial));
  SampleSizes dense = samples();
  return combine(importLargest(), dense);
}

OwningOpRef<ModuleOp>
heddle::makeBoundedProgram(MLIRContext *context,
                           ArrayRef<BoundedSymbol> symbols, bool oneIsSpecial,
                           ImportAt importAt) {
  return Sampler(context, symbols, oneIsSpecial, importAt).run();
}
