// The table of custom calls, and what their rules share.

#include "passes/Graph/CustomCalls/CustomCalls.h"

#include "heddle/Support/Diagnostics.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace heddle {

static llvm::StringMap<CustomCallRule> buildTable() {
  llvm::StringMap<CustomCallRule> table;
  for (ArrayRef<CustomCallRule> group :
       {annotationCustomCalls(), topKCustomCalls(), hostCustomCalls(),
        elementwiseCustomCalls()})
    for (const CustomCallRule &rule : group)
      table[rule.target] = rule;
  // s, d, c, z: f32, f64 and the complex types of these parts. Complex
  // Hermitian routines have names of their own.
  for (ArrayRef<CustomCallRule> group :
       {factorizationCustomCalls(), spectralCustomCalls()})
    for (const CustomCallRule &rule : group)
      for (StringRef letter : {"s", "d", "c", "z"})
        table[("lapack_" + letter + rule.target + "_ffi").str()] = rule;
  return table;
}

const CustomCallRule *findCustomCallRule(StringRef target) {
  static const llvm::StringMap<CustomCallRule> table = buildTable();
  auto found = table.find(target);
  return found == table.end() ? nullptr : &found->second;
}

Attribute customCallAttribute(stablehlo::CustomCallOp op, StringRef name) {
  for (Attribute config :
       {op.getBackendConfigAttr(), op->getAttr("mhlo.backend_config")})
    if (auto dictionary = dyn_cast_or_null<DictionaryAttr>(config))
      if (Attribute value = dictionary.get(name))
        return value;
  return {};
}

char customCallLetter(stablehlo::CustomCallOp op, StringRef name,
                      char fallback) {
  auto letter = dyn_cast_or_null<IntegerAttr>(customCallAttribute(op, name));
  return letter ? char(letter.getValue().getZExtValue()) : fallback;
}

LogicalResult checkArity(stablehlo::CustomCallOp op, unsigned operands,
                         unsigned results) {
  auto isStatic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  };
  if (op->getNumOperands() != operands || op->getNumResults() != results)
    return emitError(op.getLoc(), ErrorCode::CustomCallForm)
           << "custom call '" << op.getCallTargetName() << "' has "
           << op->getNumOperands() << " operands and " << op->getNumResults()
           << " results; " << operands << " and " << results << " are expected";
  if (!llvm::all_of(op->getOperandTypes(), isStatic) ||
      !llvm::all_of(op->getResultTypes(), isStatic))
    return emitError(op.getLoc(), ErrorCode::CustomCallForm)
           << "custom call '" << op.getCallTargetName()
           << "' is known on tensors of static shape only";
  return success();
}

/// `f32_3x5` of tensor<3x5xf32>.
static std::string typeName(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  std::string name;
  llvm::raw_string_ostream os(name);
  Type element = tensor.getElementType();
  if (auto complex = dyn_cast<ComplexType>(element))
    os << "complex_" << complex.getElementType();
  else
    os << element;
  os << "_";
  llvm::interleave(tensor.getShape(), os, "x");
  return name;
}

ValueRange createRoutine(OpBuilder &builder, Location loc, StringRef routine,
                         TypeRange results, ValueRange operands,
                         ArrayRef<NamedAttribute> attributes) {
  auto module = builder.getBlock()->getParentOp()->getParentOfType<ModuleOp>();
  auto type = builder.getFunctionType(operands.getTypes(), results);
  std::string name = ("heddle." + routine).str();
  std::string symbol = name;
  for (Value operand : operands)
    symbol += "." + typeName(operand.getType());
  // One declaration per signature: options may change the results.
  for (std::string candidate = symbol;; candidate += "_") {
    Operation *existing = SymbolTable::lookupSymbolIn(module, candidate);
    auto function = dyn_cast_or_null<func::FuncOp>(existing);
    symbol = candidate;
    if (function && function.isDeclaration() &&
        function.getFunctionType() == type)
      break;
    if (existing)
      continue;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(module.getBody());
    func::FuncOp::create(builder, loc, symbol, type).setPrivate();
    break;
  }
  return stablehlo::CompositeOp::create(builder, loc, results, operands, name,
                                        builder.getDictionaryAttr(attributes),
                                        symbol)
      ->getResults();
}

Value createFilled(OpBuilder &builder, Location loc, Type type, int64_t value) {
  auto tensor = cast<RankedTensorType>(type);
  Type element = tensor.getElementType();
  DenseElementsAttr filled;
  if (auto complex = dyn_cast<ComplexType>(element)) {
    auto part = cast<FloatType>(complex.getElementType());
    APFloat real(static_cast<double>(value)), zero(0.0);
    bool lost;
    real.convert(part.getFloatSemantics(), APFloat::rmNearestTiesToEven, &lost);
    zero.convert(part.getFloatSemantics(), APFloat::rmNearestTiesToEven, &lost);
    filled = DenseElementsAttr::get(tensor, std::complex<APFloat>(real, zero));
  } else if (isa<FloatType>(element)) {
    filled = DenseElementsAttr::get(
        tensor, Attribute(builder.getFloatAttr(element, double(value))));
  } else {
    filled = DenseElementsAttr::get(
        tensor, Attribute(builder.getIntegerAttr(element, value)));
  }
  return stablehlo::ConstantOp::create(builder, loc, filled);
}

Value holdsNan(OpBuilder &builder, Location loc, Value value, Type type) {
  auto valueType = cast<RankedTensorType>(value.getType());
  Value parts = value;
  if (isa<ComplexType>(valueType.getElementType()))
    parts = stablehlo::RealOp::create(builder, loc, value);
  auto boolean = builder.getI1Type();
  Value isNan = stablehlo::CompareOp::create(
      builder, loc, parts, parts, stablehlo::ComparisonDirection::NE);
  Value none =
      createFilled(builder, loc, RankedTensorType::get({}, boolean), 0);
  int64_t batchRank = cast<RankedTensorType>(type).getRank();
  auto batch = RankedTensorType::get(valueType.getShape().take_front(batchRank),
                                     boolean);
  auto inner =
      llvm::to_vector(llvm::seq<int64_t>(batchRank, valueType.getRank()));
  auto reduce =
      stablehlo::ReduceOp::create(builder, loc, TypeRange(batch),
                                  ValueRange(isNan), ValueRange(none), inner);
  Block *block = builder.createBlock(&reduce.getBody());
  auto scalar = RankedTensorType::get({}, boolean);
  block->addArguments({scalar, scalar}, {loc, loc});
  Value any = stablehlo::OrOp::create(builder, loc, block->getArgument(0),
                                      block->getArgument(1));
  stablehlo::ReturnOp::create(builder, loc, any);
  builder.setInsertionPointAfter(reduce);
  return stablehlo::ConvertOp::create(builder, loc, type, reduce->getResult(0));
}

} // namespace heddle
