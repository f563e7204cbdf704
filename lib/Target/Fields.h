// Fields of a machine as entries of its target's attribute.

#ifndef HEDDLE_LIB_TARGET_FIELDS_H
#define HEDDLE_LIB_TARGET_FIELDS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OperationSupport.h"

#include <string>

namespace heddle {

/// An entry of the attribute, and the field of a machine or of its rates that
/// it holds.
template <typename Owner, typename T> struct Field {
  llvm::StringRef key;
  T Owner::*member;
};

/// The attribute that holds a text, a number or a rate.
mlir::Attribute toAttr(mlir::MLIRContext *context, const std::string &text);
mlir::Attribute toAttr(mlir::MLIRContext *context, int64_t number);
mlir::Attribute toAttr(mlir::MLIRContext *context, double rate);

/// Reads one of these. Fails where it is missing or of another type, and where
/// a number or a rate is not above 0: each divides or bounds something.
mlir::LogicalResult fromAttr(mlir::Attribute attribute, std::string &text);
mlir::LogicalResult fromAttr(mlir::Attribute attribute, int64_t &number);
mlir::LogicalResult fromAttr(mlir::Attribute attribute, double &rate);

template <typename Owner, typename T, size_t count>
void writeFields(const Field<Owner, T> (&fields)[count], const Owner &from,
                 mlir::MLIRContext *context, mlir::NamedAttrList &list) {
  for (const Field<Owner, T> &field : fields)
    list.set(field.key, toAttr(context, from.*field.member));
}

template <typename Owner, typename T, size_t count>
mlir::LogicalResult readFields(const Field<Owner, T> (&fields)[count],
                               mlir::DictionaryAttr from, Owner &to) {
  for (const Field<Owner, T> &field : fields)
    if (mlir::failed(fromAttr(from.get(field.key), to.*field.member)))
      return mlir::failure();
  return mlir::success();
}

} // namespace heddle

#endif // HEDDLE_LIB_TARGET_FIELDS_H
