// Writes custom calls, with what they are given, into the tables of an
// artifact.

#include "CustomCallWriter.h"

#include "dialects/Kernel/CustomCalls.h"
#include "dialects/Kernel/Kernel.h"
#include "heddle/Artifact/CallAttributes.h"
#include "heddle/Artifact/DataTypes.h"
#include "heddle/Support/Diagnostics.h"

using namespace mlir;
using namespace heddle;

FailureOr<std::unique_ptr<format::CustomCallT>>
heddle::writeCustomCall(func::FuncOp function, ExpressionTable &constant) {
  auto description =
      function->getAttrOfType<DictionaryAttr>(kernel::kCustomCallAttrName);
  auto call = std::make_unique<format::CustomCallT>();
  call->target = description.getAs<StringAttr>("target").str();
  call->api_version =
      uint8_t(description.getAs<IntegerAttr>("api_version").getInt());
  call->has_side_effect = description.getAs<BoolAttr>("side_effect").getValue();
  call->backend_config = description.getAs<StringAttr>("backend_config").str();
  auto attributes =
      writeAttributes(function.getLoc(), call->target,
                      description.getAs<DictionaryAttr>("attributes"));
  if (failed(attributes))
    return failure();
  call->attributes = std::move(*attributes);
  auto describe = [&](StringRef key, auto &list) -> LogicalResult {
    for (Type type :
         description.getAs<ArrayAttr>(key).getAsValueRange<TypeAttr>()) {
      auto ranked = cast<RankedTensorType>(type);
      auto tensor = std::make_unique<format::TensorT>();
      tensor->dtype = dataType(ranked.getElementType());
      if (tensor->dtype == format::DataType::none)
        return emitError(function.getLoc(), ErrorCode::TypeUnsupported)
               << "custom call '" << call->target << "' has a tensor of type "
               << type;
      for (int64_t extent : ranked.getShape())
        tensor->shape.push_back(constant(extent));
      list.push_back(std::move(tensor));
    }
    return success();
  };
  if (failed(describe("operands", call->operands)) ||
      failed(describe("results", call->results)))
    return failure();
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (auto result =
            function.getArgAttrOfType<IntegerAttr>(i, kernel::kTiedAttrName))
      call->results[result.getInt()]->alias = i;
  return call;
}
