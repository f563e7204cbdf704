// The kernel dialect, and the verifiers of its attributes on functions and
// arguments.

#include "dialects/Kernel/BriefKernels.h"
#include "dialects/Kernel/CustomCalls.h"
#include "dialects/Kernel/GridKernels.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Kernel/LoadLaunches.h"
#include "dialects/Kernel/ScalarArguments.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace heddle::kernel;

#include "dialects/Kernel/KernelDialect.cpp.inc"

void KernelDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/Kernel/KernelOps.cpp.inc"
      >();
}

/// kernel.entry: a function from static tensors, and numbers after them, to
/// static tensors.
static LogicalResult verifyEntry(Operation *op) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return op->emitOpError() << "cannot be a kernel: it is no function";
  auto isStaticTensor = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  };
  ArrayRef<Type> arguments = function.getArgumentTypes();
  arguments = arguments.drop_back(countScalars(arguments));
  for (Type type :
       llvm::concat<const Type>(arguments, function.getResultTypes()))
    // After lowering, the arguments are views of buffers and a range of tiles.
    if (!isStaticTensor(type) && !isa<MemRefType, IndexType>(type))
      return op->emitOpError() << "is a kernel of " << type
                               << "; it wants tensors of static shape";
  return success();
}

/// kernel.custom_call: on a kernel without a body, with all that the artifact
/// says of it.
static LogicalResult verifyCustomCall(Operation *op, Attribute value) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  auto call = dyn_cast<DictionaryAttr>(value);
  if (!function || !call || !function.isExternal() ||
      !op->hasAttr(kEntryAttrName))
    return op->emitOpError() << kCustomCallAttrName
                             << " wants a dictionary, on a kernel without a "
                                "body";
  auto target = call.getAs<StringAttr>("target");
  auto hasTypes = [&](StringRef key, unsigned count) {
    auto types = call.getAs<ArrayAttr>(key);
    return types && types.size() == count &&
           llvm::all_of(types, [](Attribute type) {
             auto attribute = dyn_cast<TypeAttr>(type);
             auto tensor =
                 attribute ? dyn_cast<RankedTensorType>(attribute.getValue())
                           : RankedTensorType();
             return tensor && tensor.hasStaticShape();
           });
  };
  if (!target || target.empty() || !call.getAs<IntegerAttr>("api_version") ||
      !call.getAs<BoolAttr>("side_effect") ||
      !call.getAs<DictionaryAttr>("attributes") ||
      !call.getAs<StringAttr>("backend_config") ||
      !hasTypes("operands", function.getNumArguments()) ||
      !hasTypes("results", function.getNumResults()))
    return op->emitOpError()
           << kCustomCallAttrName
           << " wants target, api_version, side_effect, attributes, "
              "backend_config, and one type for each operand and result";
  return success();
}

/// Nothing but weights is known before there are calls.
static LogicalResult verifyAtLoad(Operation *op, Attribute value) {
  auto launch = dyn_cast<LaunchOp>(op);
  if (launch && isa<UnitAttr>(value) && launch.getSizes().empty() &&
      launch.getScalars().empty() && launch.getOutputs().size() == 1 &&
      llvm::all_of(launch.getInputs(), [](Value input) {
        return input.getDefiningOp<WeightRefOp>();
      }))
    return success();
  return op->emitOpError() << kAtLoadAttrName
                           << " wants no value, on a launch that makes one "
                              "tensor of kernel.weight_refs";
}

LogicalResult
KernelDialect::verifyOperationAttribute(Operation *op,
                                        NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == kEntryAttrName)
    return verifyEntry(op);
  if (name == kCustomCallAttrName)
    return verifyCustomCall(op, attribute.getValue());
  auto onFunction = [&](bool hasKind, StringRef kind) -> LogicalResult {
    if (hasKind && isa<FunctionOpInterface>(op))
      return success();
    return op->emitOpError() << name << " wants " << kind << ", on a function";
  };
  Attribute value = attribute.getValue();
  if (name == kTilesAttrName || name == kChunkAttrName ||
      name == kScratchAttrName || name == kThreadsAttrName ||
      name == kResidentBlocksAttrName || name == kSharedBytesAttrName)
    return onFunction(isa<IntegerAttr>(value), "an integer");
  if (name == kTileCountAttrName || name == kScratchBytesAttrName)
    return onFunction(isa<size::ExpressionAttr>(value),
                      "an expression of sizes");
  if (name == kSizeArgumentsAttrName)
    return onFunction(isa<size::ExtentsAttr>(value), "expressions of sizes");
  if (name == kDescriptorsAttrName || name == kDesignAttrName)
    return onFunction(isa<ArrayAttr>(value), "a list");
  if (name == kHostAttrName)
    return onFunction(isa<StringAttr>(value), "a reason");
  if (name == kBriefAttrName)
    return onFunction(isa<UnitAttr>(value), "no value");
  if (name == kPlaceAttrName) {
    if (!isa<LaunchOp>(op) || !isa<StringAttr>(attribute.getValue()))
      return op->emitOpError()
             << name << " wants the name of a device, on a launch";
    return success();
  }
  if (name == kAtLoadAttrName)
    return verifyAtLoad(op, attribute.getValue());
  return op->emitOpError() << "has an unknown attribute " << name;
}

LogicalResult
KernelDialect::verifyRegionArgAttribute(Operation *op, unsigned regionIndex,
                                        unsigned argument,
                                        NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name != kTiedAttrName && name != kInPlaceAttrName)
    return op->emitOpError()
           << "has an argument with an unknown attribute " << name;
  auto function = dyn_cast<FunctionOpInterface>(op);
  auto result = dyn_cast<IntegerAttr>(attribute.getValue());
  if (!function || !result)
    return op->emitOpError() << name << " wants the number of a result, on a "
                             << "function's argument";
  // A lowered kernel takes its outputs as arguments.
  if (function.getNumResults() == 0)
    return success();
  int64_t number = result.getInt();
  if (number < 0 || number >= static_cast<int64_t>(function.getNumResults()))
    return op->emitOpError()
           << name << " = " << number << " on argument " << argument
           << ", but there are " << function.getNumResults() << " results";
  if (name == kTiedAttrName && function.getResultTypes()[number] !=
                                   function.getArgumentTypes()[argument])
    return op->emitOpError()
           << "ties argument " << argument << " of type "
           << function.getArgumentTypes()[argument] << " to result " << number
           << " of type " << function.getResultTypes()[number];
  return success();
}
