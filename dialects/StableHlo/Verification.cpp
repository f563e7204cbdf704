// Checks of dimensions and regions that several operations' verifiers share.

#include "dialects/StableHlo/Verification.h"

using namespace mlir;

namespace heddle::stablehlo {

LogicalResult verifyDims(std::optional<Location> location, StringRef name,
                         ArrayRef<int64_t> dims, int64_t rank) {
  llvm::SmallDenseSet<int64_t> seen;
  for (int64_t dim : dims) {
    if (dim < 0 || dim >= rank)
      return emitOptionalError(location, name, " holds ", dim,
                               ", which is not a dimension of rank ", rank);
    if (!seen.insert(dim).second)
      return emitOptionalError(location, name, " holds ", dim, " twice");
  }
  return success();
}

LogicalResult verifySorted(std::optional<Location> location, StringRef name,
                           ArrayRef<int64_t> dims) {
  if (!llvm::is_sorted(dims))
    return emitOptionalError(location, name, " is not sorted");
  return success();
}

bool sizesAgree(int64_t first, int64_t second) {
  return ShapedType::isDynamic(first) || ShapedType::isDynamic(second) ||
         first == second;
}

/// Whether values of `from` may be accumulated in `to`: the same kind, at least
/// as wide.
static bool isPromotable(Type from, Type to) {
  if (from == to)
    return true;
  auto fromQuantized = dyn_cast<quant::QuantizedType>(from);
  auto toQuantized = dyn_cast<quant::QuantizedType>(to);
  if (fromQuantized || toQuantized)
    return fromQuantized && toQuantized &&
           fromQuantized.getExpressedType() == toQuantized.getExpressedType() &&
           fromQuantized.getStorageTypeIntegralWidth() <=
               toQuantized.getStorageTypeIntegralWidth();
  auto width = [](Type type) -> unsigned {
    if (auto complex = dyn_cast<ComplexType>(type))
      type = complex.getElementType();
    return type.getIntOrFloatBitWidth();
  };
  bool sameKind = (isa<FloatType>(from) && isa<FloatType>(to)) ||
                  (isa<ComplexType>(from) && isa<ComplexType>(to)) ||
                  (from.isSignlessInteger() && to.isSignlessInteger() &&
                   !from.isInteger(1) && !to.isInteger(1)) ||
                  (from.isUnsignedInteger() && to.isUnsignedInteger());
  return sameKind && width(from) <= width(to);
}

LogicalResult verifyReducer(Operation *op, Region &region, TypeRange types) {
  Block &block = region.front();
  size_t count = types.size();
  if (block.getNumArguments() != 2 * count)
    return op->emitOpError() << "region takes " << block.getNumArguments()
                             << " arguments, " << 2 * count << " wanted";
  Operation *terminator = block.getTerminator();
  if (terminator->getNumOperands() != count)
    return op->emitOpError()
           << "region returns " << terminator->getNumOperands() << " values, "
           << count << " wanted";
  for (size_t i = 0; i < count; ++i) {
    auto type = dyn_cast<RankedTensorType>(block.getArgument(i).getType());
    if (!type || type.getRank() != 0)
      return op->emitOpError()
             << "region's argument " << i
             << " is no scalar: " << block.getArgument(i).getType();
    Type element = block.getArgument(i + count).getType();
    Type returned = terminator->getOperand(i).getType();
    if (!areCompatibleTypes(type, element) ||
        !areCompatibleTypes(type, returned))
      return op->emitOpError()
             << "region combines " << type << " with " << element << " to "
             << returned << "; these must be the same";
    Type from = getElementTypeOrSelf(types[i]);
    if (!isPromotable(from, type.getElementType()))
      return op->emitOpError()
             << "values of type " << from << " cannot be accumulated in "
             << type.getElementType();
  }
  return success();
}

LogicalResult verifyInitValues(Operation *op, TypeRange inputs,
                               TypeRange initValues) {
  for (auto [input, init] : llvm::zip(inputs, initValues)) {
    auto type = cast<RankedTensorType>(init);
    if (type.getRank() != 0 ||
        type.getElementType() != getElementTypeOrSelf(input))
      return op->emitOpError() << "initial value of type " << init
                               << " is not a scalar of the type of " << input;
  }
  return success();
}

LogicalResult verifyResultType(Operation *op, Type computed, Type written) {
  if (!areCompatibleTypes(computed, written))
    return op->emitOpError() << "result has type " << written << ", "
                             << computed << " follows from the operands";
  return success();
}

} // namespace heddle::stablehlo
