// Compares the program for all sizes with the model's import at some of them.

#include "CheckSizes.h"

#include "dialects/Size/Expression.h"
#include "dialects/StableHlo/InferExtents.h"
#include "heddle/Driver/Model.h"
#include "heddle/Driver/SizePoints.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/EntrySizes.h"
#include "passes/Dynamic/BoundedSizes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

#include <random>

using namespace mlir;
using namespace heddle;

namespace {

/// One value for each size.
using Point = llvm::StringMap<int64_t>;

class SizeCheck {
public:
  SizeCheck(
      Session &session, ModuleOp module, const SizeOptions &options,
      llvm::function_ref<OwningOpRef<ModuleOp>(const SizeOptions &)> import)
      : session(session), module(module), options(options), sizes(module),
        import(import) {}

  bool run();

private:
  bool check(const Point &point);
  bool isTaken(const Point &point) const;
  /// The options with the shapes that inputs have there; nothing if an extent
  /// has no value.
  std::optional<SizeOptions> fixedAt(const Point &point) const;
  bool compare(ModuleOp derived, ModuleOp imported, const Point &point);
  std::string describe(const Point &point) const;
  bool refuse(const Point &point, const Twine &why);

  Session &session;
  ModuleOp module;
  const SizeOptions &options;
  BoundedSizes sizes;
  llvm::function_ref<OwningOpRef<ModuleOp>(const SizeOptions &)> import;
};

} // namespace

static std::optional<int64_t> valueOf(size::Expression expression,
                                      const Point &point) {
  return expression.evaluated([&](StringRef name) -> std::optional<int64_t> {
    auto found = point.find(name);
    return found == point.end() ? std::nullopt : std::optional(found->second);
  });
}

std::string SizeCheck::describe(const Point &point) const {
  std::string text;
  for (const BoundedSymbol &symbol : sizes.symbols())
    text += (text.empty() ? "" : ", ") + symbol.name + " = " +
            std::to_string(point.lookup(symbol.name));
  return text;
}

bool SizeCheck::refuse(const Point &point, const Twine &why) {
  session.diagnostics.report(ErrorCode::StableHloDynamicShape,
                             "--check-sizes: with " + describe(point) + " " +
                                 why);
  return false;
}

bool SizeCheck::isTaken(const Point &point) const {
  auto assumed = module->getAttrOfType<ArrayAttr>(kSizeAssumptionsAttrName);
  return !assumed ||
         llvm::all_of(assumed.getAsRange<DictionaryAttr>(), [&](auto each) {
           return valueOf(
                      size::Expression(
                          each.template getAs<size::ExpressionAttr>("zero")),
                      point) == 0;
         });
}

std::optional<SizeOptions> SizeCheck::fixedAt(const Point &point) const {
  SizeOptions fixed;
  fixed.shapes = options.shapes;
  fixed.dims = options.dims;
  func::FuncOp main = entryFunction(module);
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    auto name = main.getArgAttrOfType<StringAttr>(i, "heddle.name");
    Type type = main.getArgument(i).getType();
    if (!name || !size::hasExtents(type))
      continue;
    std::vector<int64_t> shape;
    for (size::Expression extent :
         size::extentsOf(cast<RankedTensorType>(type))) {
      std::optional<int64_t> size = valueOf(extent, point);
      if (!size)
        return std::nullopt;
      shape.push_back(*size);
    }
    fixed.shapes.emplace_back(name.str(), std::move(shape));
  }
  return fixed;
}

/// The operations of each node of a program, by its name.
static llvm::MapVector<StringAttr, SmallVector<Operation *>>
nodesOf(ModuleOp module) {
  llvm::MapVector<StringAttr, SmallVector<Operation *>> nodes;
  entryFunction(module).walk([&](Operation *op) {
    if (auto name = op->getLoc()->findInstanceOf<NameLoc>())
      nodes[name.getName()].push_back(op);
  });
  return nodes;
}

bool SizeCheck::compare(ModuleOp derived, ModuleOp imported,
                        const Point &point) {
  TypeRange results = entryFunction(derived).getResultTypes(),
            wanted = entryFunction(imported).getResultTypes();
  auto spell = [](Type type) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return text;
  };
  for (unsigned i = 0; i < std::min(results.size(), wanted.size()); ++i)
    if (results[i] != wanted[i])
      return refuse(point, "result " + Twine(i) + " is " + spell(wanted[i]) +
                               ", and " + spell(results[i]) +
                               " by the rules of its operations");
  auto ours = nodesOf(derived), theirs = nodesOf(imported);
  for (auto &[name, operations] : theirs) {
    const SmallVector<Operation *> others = ours.lookup(name);
    // One may be folded where the other is computed.
    if (!llvm::equal(operations, others, [](Operation *a, Operation *b) {
          return a->getName() == b->getName();
        }))
      continue;
    for (auto [theirOp, ourOp] : llvm::zip_equal(operations, others))
      for (auto [right, type] :
           llvm::zip_equal(theirOp->getResultTypes(), ourOp->getResultTypes()))
        if (right != type)
          return refuse(point, "node " + name.getValue() + " is " +
                                   spell(right) + ", and " + spell(type) +
                                   " by the rules of its operations");
  }
  return true;
}

bool SizeCheck::check(const Point &point) {
  std::optional<SizeOptions> fixed = fixedAt(point);
  if (!fixed || !isTaken(point))
    return true;
  std::string complaint;
  OwningOpRef<ModuleOp> imported, derived(module.clone());
  {
    ScopedDiagnosticHandler listen(
        module.getContext(), [&](Diagnostic &diagnostic) {
          if (complaint.empty() &&
              diagnostic.getSeverity() == DiagnosticSeverity::Error) {
            complaint = diagnostic.str();
            (void)takeErrorCode(complaint);
          }
          return success();
        });
    imported = import(*fixed);
    if (imported && failed(fixSizes(*derived, [&](StringRef name) {
          auto found = point.find(name);
          return found == point.end() ? std::nullopt
                                      : std::optional(found->second);
        })))
      derived = nullptr;
  }
  if (!imported || !derived)
    return refuse(point, "the model is not taken: " + complaint);
  return compare(*derived, *imported, point);
}

bool SizeCheck::run() {
  SmallVector<int64_t> least, greatest;
  for (const BoundedSymbol &symbol : sizes.symbols()) {
    least.push_back(llvm::divideCeilSigned(symbol.minimum, symbol.multiple) *
                    symbol.multiple);
    greatest.push_back(symbol.maximum / symbol.multiple * symbol.multiple);
  }
  SmallVector<SmallVector<int64_t>> points = {least, greatest};
  llvm::append_range(points, unequalSizes(least, greatest));
  // And some between the ends, always the same.
  constexpr unsigned between = 6;
  std::mt19937 random(0);
  for (unsigned i = 0; i < between; ++i) {
    SmallVector<int64_t> point;
    for (auto [symbol, low, high] :
         llvm::zip_equal(sizes.symbols(), least, greatest))
      point.push_back(
          std::uniform_int_distribution<int64_t>(
              low / symbol.multiple, high / symbol.multiple)(random) *
          symbol.multiple);
    points.push_back(std::move(point));
  }
  return llvm::all_of(points, [&](ArrayRef<int64_t> values) {
    Point point;
    for (auto [symbol, value] : llvm::zip_equal(sizes.symbols(), values))
      point[symbol.name] = value;
    return check(point);
  });
}

bool heddle::checkSizes(
    Session &session, ModuleOp module, const SizeOptions &options,
    llvm::function_ref<OwningOpRef<ModuleOp>(const SizeOptions &)> import) {
  return SizeCheck(session, module, options, import).run();
}
