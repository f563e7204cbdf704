// The StableHLO dialect: registers its parts and makes its constants.

#include "dialects/StableHlo/StableHlo.h"

#include "dialects/Size/Size.h"

#include "dialects/StableHlo/StableHloDialect.cpp.inc"

using namespace mlir;

namespace heddle::stablehlo {

void StableHloDialect::initialize() {
  registerAttributes();
  registerTypes();
  registerBytecode();
  registerElementwiseOps();
  registerShapeOps();
  registerIndexingOps();
  registerContractionOps();
  registerReductionOps();
  registerControlOps();
  registerDynamicOps();
  registerDistributionOps();
  registerRandomOps();
  registerLegacyOps();
}

Operation *StableHloDialect::materializeConstant(OpBuilder &builder,
                                                 Attribute value, Type type,
                                                 Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, type, elements);
}

} // namespace heddle::stablehlo
