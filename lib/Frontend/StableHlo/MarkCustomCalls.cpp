// Custom calls to functions that will be registered where the artifact is
// loaded. They stay calls; here each gets the one form that later stages know:
// tensors only, in row-major order.

#include "heddle/Frontend/CustomCallForms.h"

#include "dialects/StableHlo/RegisteredCalls.h"
#include "heddle/Support/Diagnostics.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::stablehlo;

static InFlightDiagnostic refuse(CustomCallOp op) {
  return emitError(op.getLoc(), ErrorCode::CustomCallForm)
         << "custom call '" << op.getCallTargetName() << "' ";
}

/// Whether the layouts, dimensions from the fastest on, are row-major ones.
static bool areRowMajor(std::optional<ArrayAttr> layouts) {
  if (!layouts)
    return true;
  return llvm::all_of(*layouts, [](Attribute attribute) {
    auto layout = dyn_cast<DenseIntElementsAttr>(attribute);
    if (!layout)
      return false;
    int64_t expected = layout.getNumElements();
    return llvm::all_of(layout.getValues<APInt>(), [&](const APInt &dimension) {
      return dimension.getSExtValue() == --expected;
    });
  });
}

namespace {
/// Rewrites one call.
class CallForm {
public:
  explicit CallForm(CustomCallOp op) : op(op), builder(op) {}

  LogicalResult run() {
    if (!op.getCalledComputations().empty())
      return refuse(op) << "calls computations of the program; a registered "
                           "function gets tensors only";
    if (!areRowMajor(op.getOperandLayouts()) ||
        !areRowMajor(op.getResultLayouts()))
      return refuse(op) << "wants layouts that are not row-major; export it "
                           "with default layouts";
    if (op.getResultTilings())
      return refuse(op) << "wants tiled results; registered functions give "
                           "row-major tensors";
    for (Value operand : op.getInputs()) {
      firstOperand.push_back(operands.size());
      openOperand(operand);
    }
    for (Type type : op->getResultTypes())
      openType(type);
    if (!allTensors())
      return failure();
    SmallVector<Attribute> aliases;
    if (failed(collectAliases(aliases)))
      return failure();
    replace(aliases);
    return success();
  }

private:
  /// Tuples become their members; tokens say when, which the order of calls
  /// with effects says too.
  void openOperand(Value value) {
    if (isa<TokenType>(value.getType()))
      return;
    auto tuple = dyn_cast<TupleType>(value.getType());
    if (!tuple) {
      operands.push_back(value);
      return;
    }
    for (unsigned i = 0; i < tuple.size(); ++i)
      openOperand(GetTupleElementOp::create(builder, op.getLoc(), value, i));
  }

  void openType(Type type) {
    if (isa<TokenType>(type))
      return;
    auto tuple = dyn_cast<TupleType>(type);
    if (!tuple) {
      types.push_back(type);
      return;
    }
    for (Type member : tuple)
      openType(member);
  }

  /// What stands for a result of the old type; takes from `flat`.
  Value close(Type type, ResultRange flat, unsigned &next) {
    if (isa<TokenType>(type))
      return CreateTokenOp::create(builder, op.getLoc(), type);
    auto tuple = dyn_cast<TupleType>(type);
    if (!tuple)
      return flat[next++];
    SmallVector<Value> members;
    for (Type member : tuple)
      members.push_back(close(member, flat, next));
    return TupleOp::create(builder, op.getLoc(), type, members);
  }

  bool allTensors() {
    for (Type type : llvm::concat<const Type>(
             llvm::to_vector(ValueRange(operands).getTypes()), types))
      if (!isa<RankedTensorType>(type)) {
        refuse(op) << "has a value of type " << type
                   << "; registered functions take tensors";
        return false;
      }
    return true;
  }

  /// The aliases by the numbers of the new operands and results.
  LogicalResult collectAliases(SmallVectorImpl<Attribute> &aliases) {
    llvm::DenseSet<int64_t> used, given;
    for (auto alias :
         op.getOutputOperandAliases().getAsRange<OutputOperandAliasAttr>()) {
      ArrayRef<int64_t> place = alias.getOutputTupleIndices();
      int64_t operand = alias.getOperandIndex();
      int64_t result = place.empty() ? 0 : place.front();
      if (place.size() > 1 || !alias.getOperandTupleIndices().empty() ||
          hasNestedResults())
        return refuse(op) << "has an alias within a tuple";
      if (operand < 0 || operand >= int64_t(firstOperand.size()) ||
          result < 0 || result >= int64_t(types.size()) ||
          isa<TokenType>(op.getInputs()[operand].getType()))
        return refuse(op) << "has an alias of result " << result
                          << " and operand " << operand
                          << ", which it does not have";
      int64_t flat = firstOperand[operand];
      if (isa<TupleType>(op.getInputs()[operand].getType()))
        return refuse(op) << "has an alias within a tuple";
      if (types[result] != operands[flat].getType())
        return refuse(op) << "has an alias of result " << result << ", "
                          << types[result] << ", and operand " << operand
                          << ", " << operands[flat].getType();
      if (!used.insert(flat).second || !given.insert(result).second)
        return refuse(op) << "has two aliases of result " << result
                          << " or operand " << operand;
      aliases.push_back(OutputOperandAliasAttr::get(
          op.getContext(),
          types.size() > 1 ? ArrayRef<int64_t>(result) : ArrayRef<int64_t>(),
          flat, {}));
    }
    return success();
  }

  /// Tuples in tuples, or tokens that shift the numbers of results.
  bool hasNestedResults() {
    auto isPlain = [](Type type) { return isa<RankedTensorType>(type); };
    if (op->getNumResults() == 1)
      if (auto tuple = dyn_cast<TupleType>(op->getResult(0).getType()))
        return !llvm::all_of(tuple.getTypes(), isPlain);
    return !llvm::all_of(op->getResultTypes(), isPlain);
  }

  void replace(ArrayRef<Attribute> aliases) {
    OperationState state(op.getLoc(), op->getName(), operands, types,
                         op->getAttrs());
    for (StringRef name : {"operand_layouts", "result_layouts"})
      state.attributes.erase(name);
    state.attributes.set("output_operand_aliases",
                         builder.getArrayAttr(aliases));
    state.attributes.set(kRegisteredAttrName, builder.getUnitAttr());
    Operation *marked = builder.create(state);
    unsigned next = 0;
    for (OpResult result : op->getResults())
      result.replaceAllUsesWith(
          close(result.getType(), marked->getResults(), next));
    op->erase();
  }

  CustomCallOp op;
  OpBuilder builder;
  SmallVector<Value> operands;
  SmallVector<Type> types;
  /// Of each old operand: the new one that it, or its first member, became.
  SmallVector<int64_t> firstOperand;
};
} // namespace

LogicalResult heddle::markCustomCalls(ModuleOp module,
                                      ArrayRef<std::string> options) {
  llvm::StringSet<> names;
  for (StringRef option : options)
    names.insert(option.split('=').first);
  SmallVector<CustomCallOp> calls;
  module.walk([&](CustomCallOp op) {
    // What may be called is the user's decision, not the model's.
    for (StringRef name : {kRegisteredAttrName, kComplexOperandsAttrName,
                           kComplexResultsAttrName, kDescriptionAttrName})
      op->removeAttr(name);
    if (names.contains(op.getCallTargetName()))
      calls.push_back(op);
  });
  bool ok = true;
  for (CustomCallOp op : calls)
    ok &= succeeded(CallForm(op).run());
  return success(ok);
}
