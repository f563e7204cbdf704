// Random numbers and bits: verifiers and inference.

#include "dialects/StableHlo/AssemblyFormat.h"
#include "dialects/StableHlo/StableHlo.h"
#include "dialects/StableHlo/TypeInference.h"
#include "dialects/StableHlo/Verification.h"

#include "mlir/IR/Matchers.h"

#define GET_OP_CLASSES
#include "dialects/StableHlo/StableHloRandomOps.cpp.inc"

using namespace mlir;

namespace heddle::stablehlo {

void StableHloDialect::registerRandomOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHlo/StableHloRandomOps.cpp.inc"
      >();
}

LogicalResult RngOp::inferReturnTypes(MLIRContext *context,
                                      std::optional<Location> location,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &inferred) {
  auto shape = cast<RankedTensorType>(adaptor.getShape().getType());
  Type element = getElementTypeOrSelf(adaptor.getA().getType());
  // C1.
  if (getElementTypeOrSelf(adaptor.getB().getType()) != element)
    return emitOptionalError(
        location,
        "operands have different element types: ", adaptor.getA().getType(),
        " and ", adaptor.getB().getType());
  for (Value bound : {adaptor.getA(), adaptor.getB()})
    if (cast<RankedTensorType>(bound.getType()).getRank() != 0)
      return emitOptionalError(location,
                               "the distribution's parameters must "
                               "be scalars, found ",
                               bound.getType());
  // C2.
  if (adaptor.getRngDistribution() == RngDistribution::NORMAL &&
      !isa<FloatType>(element))
    return emitOptionalError(location, "a normal distribution of ", element,
                             "; it needs floats");
  if (shape.getRank() != 1 || shape.isDynamicDim(0))
    return emitOptionalError(location,
                             "shape must be a vector of known size, "
                             "found ",
                             shape);
  DenseIntElementsAttr sizes;
  SmallVector<int64_t> dims(shape.getDimSize(0), ShapedType::kDynamic);
  if (matchPattern(adaptor.getShape(), m_Constant(&sizes)))
    dims = llvm::map_to_vector(sizes.getValues<APInt>(), [](const APInt &size) {
      return size.getSExtValue();
    });
  inferred.push_back(RankedTensorType::get(dims, element));
  return success();
}

LogicalResult RngBitGeneratorOp::verify() {
  // C1.
  if (!areCompatibleTypes(getInitialState().getType(),
                          getOutputState().getType()))
    return emitOpError() << "output state of type "
                         << getOutputState().getType()
                         << " for an initial state of type "
                         << getInitialState().getType();
  // C2: the state has 128 bits for THREE_FRY, 128 or 192 for PHILOX.
  auto state = cast<RankedTensorType>(getInitialState().getType());
  if (state.getRank() != 1 || !state.getElementType().isUnsignedInteger())
    return emitOpError() << "state must be a vector of unsigned integers, "
                         << "found " << state;
  if (!state.hasStaticShape())
    return success();
  int64_t bits =
      state.getDimSize(0) * state.getElementType().getIntOrFloatBitWidth();
  bool legal = bits == 128 ||
               (bits == 192 && getRngAlgorithm() != RngAlgorithm::THREE_FRY);
  if (!legal)
    return emitOpError() << "a state of " << bits << " bits does not fit "
                         << stringifyRngAlgorithm(getRngAlgorithm());
  return success();
}

} // namespace heddle::stablehlo
