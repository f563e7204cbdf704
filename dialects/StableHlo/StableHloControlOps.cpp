// Branches, loops, tuples, composites and custom calls: text and verifiers.

#include "dialects/StableHlo/AssemblyFormat.h"
#include "dialects/StableHlo/RegionFormat.h"
#include "dialects/StableHlo/StableHlo.h"
#include "dialects/StableHlo/TypeInference.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

#define GET_OP_CLASSES
#include "dialects/StableHlo/StableHloControlOps.cpp.inc"

using namespace mlir;

namespace heddle::stablehlo {

void StableHloDialect::registerControlOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHlo/StableHloControlOps.cpp.inc"
      >();
}

/// The types that all branches return; they take no arguments.
static LogicalResult inferBranches(std::optional<Location> location,
                                   RegionRange branches,
                                   SmallVectorImpl<Type> &inferred) {
  for (Region *branch : branches) {
    if (branch->empty() || branch->front().empty())
      return emitOptionalError(location, "a branch is empty");
    if (branch->getNumArguments() != 0)
      return emitOptionalError(location, "a branch takes arguments");
    TypeRange types(branch->front().getTerminator()->getOperandTypes());
    if (branch == branches.front())
      inferred.append(types.begin(), types.end());
    else if (!areCompatibleTypes(types, inferred))
      return emitOptionalError(location, "branches return different types");
  }
  return success();
}

LogicalResult IfOp::inferReturnTypes(MLIRContext *context,
                                     std::optional<Location> location,
                                     Adaptor adaptor,
                                     SmallVectorImpl<Type> &inferred) {
  return inferBranches(location, adaptor.getRegions(), inferred);
}

LogicalResult CaseOp::inferReturnTypes(MLIRContext *context,
                                       std::optional<Location> location,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &inferred) {
  // C1.
  if (adaptor.getRegions().empty())
    return emitOptionalError(location, "case needs at least one branch");
  return inferBranches(location, adaptor.getRegions(), inferred);
}

LogicalResult WhileOp::inferReturnTypes(MLIRContext *context,
                                        std::optional<Location> location,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &inferred) {
  // C3.
  llvm::append_range(inferred, adaptor.getOperand().getTypes());
  return success();
}

LogicalResult OptimizationBarrierOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  // C1.
  llvm::append_range(inferred, adaptor.getOperand().getTypes());
  return success();
}

LogicalResult TupleOp::inferReturnTypes(MLIRContext *context,
                                        std::optional<Location> location,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &inferred) {
  // C1.
  inferred.push_back(TupleType::get(context, adaptor.getVal().getTypes()));
  return success();
}

LogicalResult GetTupleElementOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  auto tuple = cast<TupleType>(adaptor.getOperand().getType());
  // C1.
  if (adaptor.getIndex() >= static_cast<int64_t>(tuple.size()))
    return emitOptionalError(location, "index ", adaptor.getIndex(),
                             " is outside of a tuple of ", tuple.size());
  // C2.
  inferred.push_back(tuple.getType(adaptor.getIndex()));
  return success();
}

ParseResult WhileOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseWhile(parser, result);
}

void WhileOp::print(OpAsmPrinter &printer) { printWhile(printer, *this); }

LogicalResult WhileOp::verify() {
  auto operandTypes = getOperand().getTypes();
  Type boolean = RankedTensorType::get({}, IntegerType::get(getContext(), 1));
  for (Region *region : {&getCond(), &getBody()}) {
    StringRef name = region == &getCond() ? "cond" : "body";
    if (!areCompatibleTypes(region->getArgumentTypes(), operandTypes))
      return emitOpError() << name
                           << " takes arguments of other types than the "
                              "operands have";
  }
  // C1.
  auto condition = getCond().front().getTerminator()->getOperandTypes();
  if (condition.size() != 1 || condition.front() != boolean)
    return emitOpError("cond returns something else than one tensor<i1>");
  // C2.
  if (!areCompatibleTypes(getBody().front().getTerminator()->getOperandTypes(),
                          operandTypes))
    return emitOpError("body returns other types than the operands have");
  return success();
}

void CustomCallOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (!getHasSideEffect())
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

/// That each layout orders the dimensions of its tensor.
static LogicalResult verifyLayouts(Operation *op, ArrayAttr layouts,
                                   TypeRange types) {
  // Of a tuple its members have layouts.
  if (types.size() == 1)
    if (auto tuple = dyn_cast<TupleType>(types.front()))
      types = tuple.getTypes();
  if (layouts.size() != types.size())
    return op->emitOpError() << "has " << layouts.size() << " layouts for "
                             << types.size() << " values";
  for (auto [layout, type] : llvm::zip_equal(layouts, types)) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    auto order = dyn_cast<DenseIntElementsAttr>(layout);
    SmallVector<int64_t> dims;
    if (order)
      for (const APInt &dim : order.getValues<APInt>())
        dims.push_back(dim.getSExtValue());
    int64_t rank = tensor ? tensor.getRank() : 0;
    llvm::sort(dims);
    if (!order || !llvm::equal(dims, llvm::seq<int64_t>(0, rank)))
      return op->emitOpError()
             << "has the layout " << layout
             << ", which does not order the dimensions of " << type;
  }
  return success();
}

/// The member of `type` that `indices` lead to through tuples; null if none.
static Type memberAt(Type type, ArrayRef<int64_t> indices) {
  for (int64_t index : indices) {
    auto tuple = dyn_cast<TupleType>(type);
    if (!tuple || index < 0 || index >= static_cast<int64_t>(tuple.size()))
      return {};
    type = tuple.getType(index);
  }
  return type;
}

/// That the alias joins an operand, or a member of it, with a result of the
/// same type. Several results are the members of a tuple.
static LogicalResult verifyAlias(CustomCallOp op,
                                 OutputOperandAliasAttr alias) {
  int64_t index = alias.getOperandIndex();
  if (index < 0 || index >= static_cast<int64_t>(op.getNumOperands()))
    return op.emitOpError() << "output_operand_aliases names operand " << index
                            << " of " << op.getNumOperands();
  Type operand =
      memberAt(op.getOperand(index).getType(), alias.getOperandTupleIndices());
  if (!operand)
    return op.emitOpError() << "output_operand_aliases names a member of "
                               "operand "
                            << index << " that it lacks";
  Type results = op.getNumResults() == 1
                     ? op.getResult(0).getType()
                     : TupleType::get(op.getContext(), op.getResultTypes());
  Type result = memberAt(results, alias.getOutputTupleIndices());
  if (!result)
    return op.emitOpError("output_operand_aliases names a result that the "
                          "call lacks");
  if (!areCompatibleTypes(operand, result))
    return op.emitOpError()
           << "output_operand_aliases joins operand " << index << " of type "
           << operand << " with a result of type " << result;
  return success();
}

LogicalResult CustomCallOp::verify() {
  // Dictionaries are for the typed interface alone.
  Attribute config = getBackendConfigAttr();
  bool typed = getApiVersion() == CustomCallApiVersion::API_VERSION_TYPED_FFI;
  if (config && typed != isa<DictionaryAttr>(config))
    return emitOpError() << "backend_config must be a "
                         << (typed ? "dictionary" : "string")
                         << " for api_version "
                         << static_cast<int>(getApiVersion());
  if (getOperandLayouts().has_value() != getResultLayouts().has_value())
    return emitOpError("operand_layouts and result_layouts come together");
  for (auto alias :
       getOutputOperandAliases().getAsRange<OutputOperandAliasAttr>())
    if (failed(verifyAlias(*this, alias)))
      return failure();
  for (auto [layouts, types] :
       {std::pair(getOperandLayouts(), TypeRange(getOperandTypes())),
        std::pair(getResultLayouts(), TypeRange(getResultTypes()))})
    if (layouts && failed(verifyLayouts(*this, *layouts, types)))
      return failure();
  return success();
}

LogicalResult CustomCallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  for (Attribute name : getCalledComputations())
    if (!symbols.lookupNearestSymbolFrom(*this, cast<FlatSymbolRefAttr>(name)))
      return emitOpError() << "calls " << name << ", which is not defined";
  return success();
}

void CompositeOp::build(OpBuilder &builder, OperationState &state,
                        TypeRange resultTypes, ValueRange inputs,
                        StringRef name, DictionaryAttr attributes,
                        StringRef decomposition, int32_t version) {
  build(builder, state, resultTypes, inputs, name, attributes, decomposition,
        version, /*composite_regionsCount=*/0);
}

void CompositeOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  // These are functions of their operands; a decomposition from elsewhere may
  // do anything.
  if (getName().starts_with("heddle.") || getName().starts_with("chlo."))
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

/// Whether `name` is that of an operation: identifiers, with points between
/// them.
static bool isNamespacedName(StringRef name) {
  auto [space, rest] = name.split('.');
  auto consistsOf = [](StringRef part, StringRef others) {
    return !part.empty() && llvm::all_of(part, [&](char c) {
      return llvm::isAlnum(c) || others.contains(c);
    });
  };
  if (!consistsOf(space, "_") || !llvm::isAlpha(space.front()))
    return false;
  return !rest.empty() &&
         llvm::all_of(llvm::split(rest, '.'),
                      [&](StringRef part) { return consistsOf(part, "_$"); });
}

LogicalResult CompositeOp::verify() {
  // C1.
  if (!isNamespacedName(getName()))
    return emitOpError() << "name '" << getName()
                         << "' is not one in a namespace: namespace.op of "
                            "letters, digits and '_' is wanted";
  return success();
}

LogicalResult CompositeOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // C2.
  Operation *callee =
      symbols.lookupNearestSymbolFrom(*this, getDecompositionAttr());
  auto function = dyn_cast_or_null<FunctionOpInterface>(callee);
  if (!function)
    return emitOpError() << "decomposition " << getDecompositionAttr()
                         << " is not a function of this module";
  // C3, C4. With regions, the decomposition takes what the regions capture.
  if (!getCompositeRegions().empty())
    return success();
  if (!areCompatibleTypes(TypeRange(function.getArgumentTypes()),
                          TypeRange(getInputs().getTypes())))
    return emitOpError() << "has other operand types than its decomposition "
                         << getDecompositionAttr();
  if (!areCompatibleTypes(TypeRange(function.getResultTypes()),
                          TypeRange((*this)->getResultTypes())))
    return emitOpError() << "has other result types than its decomposition "
                         << getDecompositionAttr();
  return success();
}

} // namespace heddle::stablehlo
