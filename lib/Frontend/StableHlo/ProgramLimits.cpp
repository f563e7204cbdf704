// Bounds on what was parsed: depth, counts, ranks and bytes.

#include "lib/Frontend/StableHlo/ProgramLimits.h"

#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/Weights.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace heddle {

/// Levels of regions, types and attributes; ErrorCodes.def names it.
static constexpr unsigned kMostLevels = 64;
/// Levels of locations: an exporter may write a whole stack of calls.
static constexpr unsigned kMostLocationLevels = 1024;
/// Types that a type consists of, each counted as often as it is written.
static constexpr uint64_t kMostTypeParts = uint64_t(1) << 16;
/// The same for attributes, which may be lists of numbers.
static constexpr uint64_t kMostAttributeParts = uint64_t(1) << 22;
/// Dimensions of a tensor, as in the artifact's manifest.
static constexpr int64_t kMostDimensions = 64;
static constexpr uint64_t kMostOperations = uint64_t(1) << 20;

namespace {
/// How large something is that is made of others, which may be shared.
struct Extent {
  unsigned levels = 1;
  uint64_t parts = 1;

  void add(const Extent &inner) {
    levels = std::max(levels, inner.levels + 1);
    // A sum of many such stays far below what 64 bits hold.
    parts = std::min(parts + inner.parts, uint64_t(1) << 40);
  }
};

class LimitChecker {
public:
  LogicalResult check(ModuleOp module);

private:
  LogicalResult checkOperation(Operation *op);
  LogicalResult checkType(Operation *op, Type type);
  LogicalResult checkAttribute(Operation *op, StringRef name,
                               Attribute attribute);
  LogicalResult checkConstant(stablehlo::ConstantOp op);

  /// Of a type or an attribute; a level beyond `most` ends the recursion.
  template <typename T> Extent extentOf(T element, unsigned most) {
    if (!element || most == 0)
      return {};
    auto known = extents.find(element.getAsOpaquePointer());
    if (known != extents.end())
      return known->second;
    Extent extent;
    auto add = [&](auto inner) {
      if (inner)
        extent.add(extentOf(inner, most - 1));
    };
    element.walkImmediateSubElements([&](Attribute inner) { add(inner); },
                                     [&](Type inner) { add(inner); });
    extents[element.getAsOpaquePointer()] = extent;
    return extent;
  }

  llvm::DenseMap<const void *, Extent> extents;
};
} // namespace

static InFlightDiagnostic tooDeep(Operation *op, StringRef what,
                                  unsigned most) {
  return emitError(op->getLoc(), ErrorCode::TooDeep)
         << "'" << op->getName() << "' " << what << " more than " << most
         << " deep";
}

LogicalResult LimitChecker::checkType(Operation *op, Type type) {
  Extent extent = extentOf(type, kMostLevels + 1);
  if (extent.levels > kMostLevels)
    return tooDeep(op, "has a type nested", kMostLevels);
  if (extent.parts > kMostTypeParts)
    return emitError(op->getLoc(), ErrorCode::TooMany)
           << "a type of '" << op->getName() << "' consists of more than "
           << kMostTypeParts << " types";
  auto shaped = dyn_cast<ShapedType>(type);
  if (shaped && shaped.hasRank() && shaped.getRank() > kMostDimensions)
    return emitError(op->getLoc(), ErrorCode::TooMany)
           << "'" << op->getName() << "' has a tensor of " << shaped.getRank()
           << " dimensions, at most " << kMostDimensions << " are supported";
  return success();
}

LogicalResult LimitChecker::checkAttribute(Operation *op, StringRef name,
                                           Attribute attribute) {
  bool isLocation = isa<LocationAttr>(attribute);
  unsigned most = isLocation ? kMostLocationLevels : kMostLevels;
  Extent extent = extentOf(attribute, most + 1);
  if (extent.levels > most)
    return tooDeep(
        op, isLocation ? "has a location nested" : "has an attribute nested",
        most);
  if (extent.parts > kMostAttributeParts)
    return emitError(op->getLoc(), ErrorCode::TooMany)
           << name << " of '" << op->getName() << "' consists of more than "
           << kMostAttributeParts << " attributes";
  return success();
}

/// A constant that names bytes elsewhere in the file must find them.
LogicalResult LimitChecker::checkConstant(stablehlo::ConstantOp op) {
  auto handle = dyn_cast<DenseResourceElementsAttr>(op.getValue());
  if (!handle)
    return success();
  std::optional<uint64_t> wanted =
      storedBytes(cast<RankedTensorType>(handle.getType()));
  AsmResourceBlob *blob = handle.getRawHandle().getBlob();
  if (!blob)
    return emitError(op.getLoc(), ErrorCode::StableHloInvalid)
           << "the constant's bytes are missing: the file has no resource '"
           << handle.getRawHandle().getKey() << "'";
  if (wanted && blob->getData().size() != *wanted)
    return emitError(op.getLoc(), ErrorCode::StableHloInvalid)
           << "the constant's resource '" << handle.getRawHandle().getKey()
           << "' has " << blob->getData().size() << " bytes, "
           << handle.getType() << " takes " << *wanted;
  return success();
}

LogicalResult LimitChecker::checkOperation(Operation *op) {
  for (Type type : op->getResultTypes())
    if (failed(checkType(op, type)))
      return failure();
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Type type : block.getArgumentTypes())
        if (failed(checkType(op, type)))
          return failure();
  if (failed(checkAttribute(op, "the location", op->getLoc())))
    return failure();
  for (NamedAttribute attribute : op->getAttrs()) {
    // Types of a function that has no body are nowhere else.
    if (auto type = dyn_cast<TypeAttr>(attribute.getValue())) {
      if (auto function = dyn_cast<FunctionType>(type.getValue())) {
        for (Type part : function.getInputs())
          if (failed(checkType(op, part)))
            return failure();
        for (Type part : function.getResults())
          if (failed(checkType(op, part)))
            return failure();
        continue;
      }
    }
    if (failed(checkAttribute(op, attribute.getName(), attribute.getValue())))
      return failure();
  }
  if (auto constant = dyn_cast<stablehlo::ConstantOp>(op))
    return checkConstant(constant);
  return success();
}

LogicalResult LimitChecker::check(ModuleOp module) {
  // No recursion: depth is what is asked for.
  SmallVector<std::pair<Operation *, unsigned>> open = {{module, 0}};
  uint64_t operations = 0;
  while (!open.empty()) {
    auto [op, level] = open.pop_back_val();
    if (level > kMostLevels)
      return tooDeep(op, "is inside of regions nested", kMostLevels);
    if (++operations > kMostOperations)
      return emitError(module.getLoc(), ErrorCode::TooMany)
             << "the program has more than " << kMostOperations
             << " operations";
    if (failed(checkOperation(op)))
      return failure();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Operation &inner : block)
          open.push_back({&inner, level + 1});
  }
  return success();
}

LogicalResult checkProgramLimits(ModuleOp module) {
  return LimitChecker().check(module);
}

} // namespace heddle
