// The types that callers of an entry see, where its function has others: as
// attributes of the function.

#ifndef HEDDLE_SUPPORT_ENTRYTYPES_H
#define HEDDLE_SUPPORT_ENTRYTYPES_H

#include "heddle/Support/SignatureAttributes.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLExtras.h"

namespace heddle {

/// On an argument or result of an entry: the type of the tensor that callers
/// give or take, with signs, complex numbers and elements of less than a byte.
/// The function may hold the same bytes as another tensor by then.
inline constexpr llvm::StringLiteral kTypeAttrName = "heddle.type";

/// What a caller sees of an argument or result that has these attributes and is
/// a `held` in the function.
inline mlir::Type declaredType(mlir::DictionaryAttr attributes,
                               mlir::Type held) {
  auto declared = attributes ? attributes.getAs<mlir::TypeAttr>(kTypeAttrName)
                             : mlir::TypeAttr();
  return declared ? declared.getValue() : held;
}

inline mlir::Type declaredArgumentType(mlir::FunctionOpInterface entry,
                                       unsigned i) {
  return declaredType(entry.getArgAttrDict(i), entry.getArgumentTypes()[i]);
}

inline mlir::Type declaredResultType(mlir::FunctionOpInterface entry,
                                     unsigned i) {
  return declaredType(entry.getResultAttrDict(i), entry.getResultTypes()[i]);
}

/// Gives `entry` another type, with as many arguments and results; what callers
/// see stays.
inline void changeHeldTypes(mlir::FunctionOpInterface entry,
                            mlir::FunctionType type) {
  SignatureAttributes attributes(entry);
  auto keep = [](mlir::NamedAttrList &list, mlir::Type before,
                 mlir::Type after) {
    if (before != after && !list.get(kTypeAttrName))
      list.set(kTypeAttrName, mlir::TypeAttr::get(before));
  };
  for (auto [i, types] : llvm::enumerate(
           llvm::zip_equal(entry.getArgumentTypes(), type.getInputs())))
    keep(attributes.argument(i), std::get<0>(types), std::get<1>(types));
  for (auto [i, types] : llvm::enumerate(
           llvm::zip_equal(entry.getResultTypes(), type.getResults())))
    keep(attributes.result(i), std::get<0>(types), std::get<1>(types));
  entry.setType(type);
  attributes.store();
}

} // namespace heddle

#endif // HEDDLE_SUPPORT_ENTRYTYPES_H
