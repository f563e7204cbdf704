// Imports a program with the sizes that options give, again for each two sizes
// that turn out to be one.

#include "lib/Frontend/StableHlo/FixShapes.h"

#include "lib/Frontend/StableHlo/OpenSizes.h"
#include "lib/Frontend/StableHlo/RefineShapes.h"
#include "lib/Frontend/StableHlo/SizedForms.h"

#include "heddle/Support/Diagnostics.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace heddle {

/// The size of that name.
static ChosenSize &sizeOf(SizeOptions &options, StringRef name) {
  for (ChosenSize &size : options.sizes)
    if (size.name == name)
      return size;
  llvm_unreachable("types have declared sizes alone");
}

/// Makes the sizes `tie` one, which the options name first. Fails, after an
/// error, if no choice is left for it.
static LogicalResult join(const size::SymbolPair &tie, SizeOptions &options,
                          std::map<std::string, std::string> &joined,
                          Location loc) {
  ChosenSize *first = &sizeOf(options, tie.first),
             *second = &sizeOf(options, tie.second);
  if (first > second)
    std::swap(first, second);
  first->narrow(*second);
  if (first->isEmpty())
    return emitError(loc, ErrorCode::OnnxShapeOption)
           << "'" << first->name << "' and '" << second->name
           << "' must be equal, but have no size in common";
  std::string gone = second->name;
  for (auto &[name, leader] : joined)
    if (leader == gone)
      leader = first->name;
  joined[gone] = first->name;
  llvm::erase_if(options.sizes,
                 [&](const ChosenSize &size) { return size.name == gone; });
  return success();
}

static LogicalResult refine(func::FuncOp entry, const ExportedProgram *exported,
                            const GivenSizes &given, ImportedSizes &sizes) {
  FailureOr<SmallVector<Type>> types = givenTypes(entry, exported, given);
  if (failed(types))
    return failure();
  bool areClosed = llvm::all_of(*types, [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return !tensor || tensor.hasStaticShape();
  });
  sizes.mayCompute = areClosed && entry->getParentOfType<ModuleOp>()
                                      .walk([](Operation *op) {
                                        return mayComputeSizes(op)
                                                   ? WalkResult::interrupt()
                                                   : WalkResult::advance();
                                      })
                                      .wasInterrupted();
  return ArrayRef<Type>(*types) == entry.getArgumentTypes() && !sizes.mayCompute
             ? success()
             : refineShapes(entry, *types, sizes);
}

/// Records sizes that calls choose, or that the program computes.
static void record(ModuleOp module, ArrayRef<ChosenSize> chosen,
                   const ImportedSizes &sizes) {
  std::vector<RecordedAssumption> assumptions;
  for (const SizeAssumption &each : sizes.assumptions())
    assumptions.push_back(
        {each.isZero, each.text, nameIn(each.location).str()});
  std::vector<ChosenSize> all(chosen);
  for (const ImportedSizes::Computed &each : sizes.computed()) {
    ChosenSize size;
    size.name = each.name;
    size.maximum = each.maximum;
    size.isComputed = true;
    all.push_back(std::move(size));
  }
  recordSizes(module, all, assumptions);
}

/// Operations whose bounds do not fit each other are the program's, or sizes
/// that nobody has a form for.
static LogicalResult checkBounds(ModuleOp module) {
  std::optional<std::pair<Location, std::string>> complaint;
  {
    ScopedDiagnosticHandler listen(module.getContext(), [&](Diagnostic &error) {
      if (!complaint)
        complaint.emplace(error.getLocation(), error.str());
      return success();
    });
    if (succeeded(verify(module)))
      return success();
  }
  if (!complaint)
    complaint.emplace(module.getLoc(), "the program does not verify");
  ErrorCode code = takeErrorCode(complaint->second)
                       .value_or(ErrorCode::StableHloDynamicShape);
  return emitError(complaint->first, code)
         << complaint->second << ", with the greatest sizes";
}

LogicalResult fixShapes(StableHloProgram &program, StringRef entry,
                        const SizeOptions &options) {
  // Sizes that are one stay in the options, where types may name them.
  SizeOptions left = options;
  std::map<std::string, std::string> joined;
  Location loc = program.module->getLoc();
  while (true) {
    GivenSizes given{options, joined, {}};
    if (auto problem = declareRanges(left, given.ranges))
      return emitError(loc, ErrorCode::OnnxShapeOption) << *problem;
    ImportedSizes sizes(given.ranges);
    if (options.sizes.empty()) {
      if (failed(refine(program.module->lookupSymbol<func::FuncOp>(entry),
                        program.exported.get(), given, sizes)))
        return failure();
      if (sizes.computed().empty())
        return success();
      if (failed(checkBounds(*program.module)))
        return failure();
      record(*program.module, {}, sizes);
      return success();
    }
    StableHloProgram copy = program.clone();
    if (succeeded(refine(copy.module->lookupSymbol<func::FuncOp>(entry),
                         copy.exported.get(), given, sizes))) {
      if (failed(checkBounds(*copy.module)))
        return failure();
      record(*copy.module, left.sizes, sizes);
      program.module = std::move(copy.module);
      return success();
    }
    if (!sizes.tie() || failed(join(*sizes.tie(), left, joined, loc)))
      return failure();
  }
}

} // namespace heddle
