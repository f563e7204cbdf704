// StableHLO becomes VHLO of a version: each operation in the revision of that
// version, if it can hold what the operation says.

#include "heddle/Frontend/PortableArtifact.h"

#include "dialects/StableHlo/StableHlo.h"
#include "dialects/Vhlo/Encoding.h"
#include "dialects/Vhlo/Vhlo.h"
#include "heddle/Support/Diagnostics.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace heddle::vhlo;

namespace heddle {
namespace {

class Converter {
public:
  explicit Converter(Version target) : target(target) {}

  LogicalResult convertRegion(Region &region);

private:
  InFlightDiagnostic refuse(Operation *op) {
    return emitError(op->getLoc(), ErrorCode::PortableVersion)
           << "'" << op->getName() << "' ";
  }
  /// Reports that what the operation has needs another version.
  LogicalResult checkVersion(Operation *op, const Twine &what,
                             std::optional<Version> needed);
  LogicalResult checkType(Operation *op, Type type);
  LogicalResult checkRules(Operation *op, const OpRow &row, unsigned revision);
  FailureOr<Attribute> store(Operation *op, const AttributeRow &row,
                             Attribute value);
  LogicalResult convertAttributes(Operation *op, const OpRow &row,
                                  unsigned revision, NamedAttrList &attributes);
  LogicalResult convertOp(Operation *op);

  Version target;
};

} // namespace

LogicalResult Converter::checkVersion(Operation *op, const Twine &what,
                                      std::optional<Version> needed) {
  if (!needed)
    return refuse(op) << "has " << what
                      << ", which no version of VHLO can hold";
  if (target >= *needed)
    return success();
  return refuse(op) << "has " << what << ", which version " << needed->str()
                    << " introduced; the target is " << target.str();
}

static std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << "the type " << type;
  return text;
}

LogicalResult Converter::checkType(Operation *op, Type type) {
  return checkVersion(op, textOf(type), versionOf(type));
}

/// Dimensions of the window that the operation's defaults are for.
static int64_t windowOf(Operation *op) {
  if (auto window = op->getAttrOfType<DenseI64ArrayAttr>("window_dimensions"))
    return window.size();
  if (auto numbers = op->getAttrOfType<stablehlo::ConvDimensionNumbersAttr>(
          "dimension_numbers"))
    return numbers.getInputSpatialDimensions().size();
  return 0;
}

static bool isTypedFfi(Operation *op) {
  auto call = dyn_cast<stablehlo::CustomCallOp>(op);
  return call && call.getApiVersion() ==
                     stablehlo::CustomCallApiVersion::API_VERSION_TYPED_FFI;
}

/// The type of an operand, whose definition is VHLO already.
static Type typeOf(Value operand) {
  auto versioned = dyn_cast<VersionedType>(operand.getType());
  return versioned ? versioned.getType() : operand.getType();
}

/// Element types of operands and results, which were the same in reductions
/// once.
static bool sameElementTypes(Operation *op) {
  for (auto [operand, result] :
       llvm::zip(op->getOperands(), op->getResultTypes()))
    if (getElementTypeOrSelf(typeOf(operand)) != getElementTypeOrSelf(result))
      return false;
  return true;
}

/// What changed without a new revision, and what a first revision cannot hold.
LogicalResult Converter::checkRules(Operation *op, const OpRow &row,
                                    unsigned revision) {
  static const llvm::StringLiteral combining[] = {
      "all_reduce", "reduce",        "reduce_scatter",
      "scatter",    "reduce_window", "select_and_scatter"};
  if (llvm::is_contained(combining, row.name) && !sameElementTypes(op) &&
      failed(checkVersion(op, "results of another element type",
                          Version{0, 17, 0})))
    return failure();
  if (row.name == "custom_call") {
    if ((isTypedFfi(op) ||
         isa_and_nonnull<DictionaryAttr>(op->getAttr("backend_config"))) &&
        failed(checkVersion(op, "a dictionary as its backend_config",
                            Version{1, 3, 0})))
      return failure();
    if (llvm::any_of(op->getOperands(),
                     [](Value operand) {
                       return isa<stablehlo::FutureType>(typeOf(operand));
                     }) &&
        failed(checkVersion(op, "a future as its operand", Version{1, 17, 0})))
      return failure();
  }
  if (revision != 1)
    return success();
  if (row.limit == Limit::OneOperand &&
      (op->getNumOperands() != 1 || op->getNumResults() != 1))
    return checkVersion(op, "several operands", row.second);
  if (row.limit == Limit::NoRegions && op->getNumRegions() != 0)
    return checkVersion(op, "regions", row.second);
  return success();
}

FailureOr<Attribute> Converter::store(Operation *op, const AttributeRow &row,
                                      Attribute value) {
  // A flag that is set.
  if (isa<UnitAttr>(value) && row.form == Form::Unit)
    value = BoolAttr::get(op->getContext(), true);
  if (row.form == Form::ApiVersion)
    return Attribute(
        VersionedAttr::get(op->getContext(), ApiVersionCode, value));
  if (failed(checkVersion(op, "the attribute '" + row.name + "'",
                          versionOf(value))))
    return failure();
  return wrap(value);
}

LogicalResult Converter::convertAttributes(Operation *op, const OpRow &row,
                                           unsigned revision,
                                           NamedAttrList &attributes) {
  NamedAttrList given(op->getAttrDictionary());
  auto add = [&](const AttributeRow &each, Attribute value) -> LogicalResult {
    if (!each.isIn(revision)) {
      if (!value || isDefault(each.standard, value))
        return success();
      return checkVersion(op, "the attribute '" + each.name + "'", row.second);
    }
    if (!value)
      value = valueOf(each.standard, op->getContext(), windowOf(op),
                      isTypedFfi(op));
    if (!value)
      return refuse(op) << "lacks the attribute '" << each.name
                        << "', which VHLO cannot leave out";
    FailureOr<Attribute> stored = store(op, each, value);
    if (failed(stored))
      return failure();
    attributes.set(each.name, *stored);
    return success();
  };
  for (const AttributeRow &each : row.attributes) {
    // The padding of dynamic_conv's first revision is no attribute here.
    if (failed(add(each, given.erase(each.name))))
      return failure();
  }
  for (const StructRow *structure : row.structures) {
    Attribute value = given.erase(structure->name);
    SmallVector<Attribute> fields =
        value ? structure->split(value)
              : SmallVector<Attribute>(structure->fields.size());
    for (auto [each, field] : llvm::zip(structure->fields, fields))
      if (failed(add(each, field)))
        return failure();
  }
  for (NamedAttribute other : given) {
    if (failed(checkVersion(
            op, "the attribute '" + other.getName().getValue() + "'",
            versionOf(other.getValue()))))
      return failure();
    attributes.set(other.getName(), wrap(other.getValue()));
  }
  return success();
}

LogicalResult Converter::convertOp(Operation *op) {
  if (isa<ModuleOp>(op))
    return convertRegion(op->getRegion(0));
  const OpRow *row = findOpRow(op->getName().getStringRef());
  if (!row)
    return refuse(op) << "has no place in VHLO, which holds stablehlo and func "
                         "alone";
  if (target < row->since)
    return refuse(op) << "came with version " << row->since.str()
                      << "; the target is " << target.str();
  unsigned revision = row->revisionIn(target);
  OperationState state(op->getLoc(), nameOf(*row, revision));
  if (failed(checkRules(op, *row, revision)) ||
      failed(convertAttributes(op, *row, revision, state.attributes)))
    return failure();
  for (Type type : op->getResultTypes()) {
    if (failed(checkType(op, type)))
      return failure();
    state.addTypes(wrap(type));
  }
  state.addOperands(op->getOperands());
  for (Region &region : op->getRegions()) {
    for (Block &block : region)
      for (BlockArgument argument : block.getArguments()) {
        if (failed(checkType(op, argument.getType())))
          return failure();
        argument.setType(wrap(argument.getType()));
      }
    state.addRegion()->takeBody(region);
  }
  Operation *converted = Operation::create(state);
  op->getBlock()->getOperations().insert(op->getIterator(), converted);
  op->replaceAllUsesWith(converted);
  op->erase();
  for (Region &region : converted->getRegions())
    if (failed(convertRegion(region)))
      return failure();
  return success();
}

LogicalResult Converter::convertRegion(Region &region) {
  for (Block &block : region)
    for (Operation &op : llvm::make_early_inc_range(block))
      if (failed(convertOp(&op)))
        return failure();
  return success();
}

LogicalResult convertToVhlo(ModuleOp module, StringRef version) {
  std::optional<Version> target = Version::parse(version);
  if (!target || *target < kOldest || kNewest < *target)
    return emitError(module.getLoc(), ErrorCode::PortableVersion)
           << "'" << version
           << "' is no version that heddle writes: " << kOldest.str() << " to "
           << kNewest.str();
  module.getContext()->loadDialect<VhloDialect>();
  return Converter(*target).convertRegion(module.getBodyRegion());
}

} // namespace heddle
