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

/// Values for the sizes that calls choose, or for those that programs compute.
class Choices {
public:
  Choices(const BoundedSizes &sizes, bool areComputed) {
    for (const BoundedSymbol &symbol : sizes.symbols()) {
      if (symbol.isComputed != areComputed)
        continue;
      symbols.push_back(symbol);
      least.push_back(llvm::divideCeilSigned(symbol.minimum, symbol.multiple) *
                      symbol.multiple);
      greatest.push_back(symbol.maximum / symbol.multiple * symbol.multiple);
    }
  }

  /// The least, the greatest, and mixtures of these; each once.
  SmallVector<SmallVector<int64_t>> ends() const {
    SmallVector<SmallVector<int64_t>> points = {least};
    if (greatest != least)
      points.push_back(greatest);
    llvm::append_range(points, unequalSizes(least, greatest));
    return points;
  }
  SmallVector<int64_t> draw(std::mt19937 &random) const {
    SmallVector<int64_t> point;
    for (auto [symbol, low, high] : llvm::zip_equal(symbols, least, greatest))
      point.push_back(
          std::uniform_int_distribution<int64_t>(
              low / symbol.multiple, high / symbol.multiple)(random) *
          symbol.multiple);
    return point;
  }
  void set(Point &point, ArrayRef<int64_t> values) const {
    for (auto [symbol, value] : llvm::zip_equal(symbols, values))
      point[symbol.name] = value;
  }

private:
  std::vector<BoundedSymbol> symbols;
  SmallVector<int64_t> least, greatest;
};

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
  /// Compares where the program counts what `point` says.
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
    if (auto found = point.find(symbol.name); found != point.end())
      text += (text.empty() ? "" : ", ") + symbol.name + " = " +
              std::to_string(found->second);
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
  // What the program computes has the ranges that options give it.
  llvm::copy_if(
      options.sizes, std::back_inserter(fixed.sizes),
      [&](const ChosenSize &size) { return sizes.isComputed(size.name); });
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

/// Whether two types are one where the program counts what `point` says. A size
/// that follows from a count which only one of two imports has may be any.
static bool areSame(Type a, Type b, const Point &point) {
  if (a == b)
    return true;
  if (!size::hasExtents(a) && !size::hasExtents(b))
    return false;
  auto left = dyn_cast<RankedTensorType>(a),
       right = dyn_cast<RankedTensorType>(b);
  if (!left || !right || left.getRank() != right.getRank() ||
      left.getElementType() != right.getElementType())
    return false;
  return llvm::all_of(
      llvm::zip_equal(size::extentsOf(left), size::extentsOf(right)),
      [&](auto pair) {
        std::optional<int64_t> one = valueOf(std::get<0>(pair), point),
                               other = valueOf(std::get<1>(pair), point);
        return !one || !other || *one == *other;
      });
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
    if (!areSame(results[i], wanted[i], point))
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
        if (!areSame(right, type, point))
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
    // What the data decides stays open in both.
    if (imported &&
        failed(fixSizes(
            *derived,
            [&](StringRef name) {
              auto found = point.find(name);
              return found == point.end() ? std::nullopt
                                          : std::optional(found->second);
            },
            [&](StringRef name) { return sizes.isComputed(name); })))
      derived = nullptr;
  }
  if (!imported || !derived)
    return refuse(point, "the model is not taken: " + complaint);
  Choices counts(BoundedSizes(*imported), /*areComputed=*/true);
  return llvm::all_of(counts.ends(), [&](ArrayRef<int64_t> values) {
    Point all = point;
    counts.set(all, values);
    return compare(*derived, *imported, all);
  });
}

bool SizeCheck::run() {
  Choices chosen(sizes, /*areComputed=*/false);
  SmallVector<SmallVector<int64_t>> points = chosen.ends();
  // And some between the ends, always the same.
  constexpr unsigned between = 6;
  std::mt19937 random(0);
  for (unsigned i = 0; i < between; ++i)
    points.push_back(chosen.draw(random));
  return llvm::all_of(points, [&](ArrayRef<int64_t> values) {
    Point point;
    chosen.set(point, values);
    return check(point);
  });
}

bool heddle::checkSizes(
    Session &session, ModuleOp module, const SizeOptions &options,
    llvm::function_ref<OwningOpRef<ModuleOp>(const SizeOptions &)> import) {
  return SizeCheck(session, module, options, import).run();
}
