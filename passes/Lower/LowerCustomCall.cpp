// A call to a function that is registered where the artifact is loaded stays an
// op of the program, with what the artifact will say of it.

#include "passes/Lower/CustomCalls.h"

#include "dialects/StableHlo/RegisteredCalls.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::stablehlo;

/// The types of operands or results as the model has them: with signs, complex
/// ones whole.
static ArrayAttr modelTypes(Builder &builder, TypeRange types,
                            DenseI64ArrayAttr complex) {
  SmallVector<Type> list(types);
  for (int64_t number : complex ? complex.asArrayRef() : ArrayRef<int64_t>()) {
    auto view = cast<RankedTensorType>(list[number]);
    list[number] = RankedTensorType::get(
        view.getShape().drop_back(), ComplexType::get(view.getElementType()));
  }
  return builder.getTypeArrayAttr(list);
}

/// What the artifact says of the call, without its operands.
static DictionaryAttr describeCall(Builder &builder, CustomCallOp op) {
  auto complex = [&](StringRef name) {
    return op->getAttrOfType<DenseI64ArrayAttr>(name);
  };
  DictionaryAttr attributes;
  StringAttr config;
  for (Attribute given :
       {op.getBackendConfigAttr(), op->getAttr("mhlo.backend_config")}) {
    if (auto dictionary = dyn_cast_or_null<DictionaryAttr>(given))
      attributes = dictionary;
    else if (auto text = dyn_cast_or_null<StringAttr>(given))
      config = text;
  }
  return builder.getDictionaryAttr({
      builder.getNamedAttr(
          "api_version",
          builder.getI32IntegerAttr(static_cast<int32_t>(op.getApiVersion()))),
      builder.getNamedAttr("attributes", attributes
                                             ? attributes
                                             : builder.getDictionaryAttr({})),
      builder.getNamedAttr("backend_config",
                           config ? config : builder.getStringAttr("")),
      builder.getNamedAttr("operands",
                           modelTypes(builder, op->getOperandTypes(),
                                      complex(kComplexOperandsAttrName))),
      builder.getNamedAttr("results",
                           modelTypes(builder, op->getResultTypes(),
                                      complex(kComplexResultsAttrName))),
      builder.getNamedAttr("side_effect",
                           builder.getBoolAttr(op.getHasSideEffect())),
      builder.getNamedAttr("target", op.getCallTargetNameAttr()),
  });
}

bool heddle::lowerCustomCall(GraphLowering &lowering, Operation *op) {
  if (!isRegisteredCall(op))
    return false;
  OpBuilder &b = lowering.builder;
  OperationState state(op->getLoc(), op->getName(),
                       lowering.lowered(op->getOperands()), {}, op->getAttrs());
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    state.addTypes(lowering.resultType(op, i));
  state.attributes.set(kDescriptionAttrName,
                       describeCall(b, cast<CustomCallOp>(op)));
  lowering.replace(op, b.create(state)->getResults());
  return true;
}
