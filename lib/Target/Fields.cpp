// Fields of a machine as entries of its target's attribute.

#include "lib/Target/Fields.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace heddle {

Attribute toAttr(MLIRContext *context, const std::string &text) {
  return StringAttr::get(context, text);
}

Attribute toAttr(MLIRContext *context, int64_t number) {
  return IntegerAttr::get(IntegerType::get(context, 64), number);
}

Attribute toAttr(MLIRContext *context, double rate) {
  return FloatAttr::get(Float64Type::get(context), rate);
}

LogicalResult fromAttr(Attribute attribute, std::string &text) {
  auto value = dyn_cast_or_null<StringAttr>(attribute);
  if (!value)
    return failure();
  text = value.str();
  return success();
}

LogicalResult fromAttr(Attribute attribute, int64_t &number) {
  auto value = dyn_cast_or_null<IntegerAttr>(attribute);
  if (!value || !value.getType().isInteger(64) || value.getInt() <= 0)
    return failure();
  number = value.getInt();
  return success();
}

LogicalResult fromAttr(Attribute attribute, double &rate) {
  auto value = dyn_cast_or_null<FloatAttr>(attribute);
  if (!value || !value.getType().isF64() || !value.getValue().isFinite() ||
      !(value.getValueAsDouble() > 0))
    return failure();
  rate = value.getValueAsDouble();
  return success();
}

} // namespace heddle
