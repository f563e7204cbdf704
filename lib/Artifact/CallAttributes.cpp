// Booleans, integers, floats, strings and arrays of these are handed on to the
// functions that custom calls call; other attributes are refused.

#include "heddle/Artifact/CallAttributes.h"

#include "heddle/Support/Diagnostics.h"
#include "runtime/format/Layout.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;

namespace {
/// One attribute's values, of one kind.
class ValueCollector {
public:
  explicit ValueCollector(format::AttributeT &out) : out(out) {}

  /// Empty, or what is wrong with it.
  std::string addAll(Attribute attribute) {
    if (auto array = dyn_cast<ArrayAttr>(attribute)) {
      out.is_array = true;
      for (Attribute element : array)
        if (std::string problem = addOne(element); !problem.empty())
          return problem;
      return finishArray();
    }
    if (auto dense = dyn_cast<DenseArrayAttr>(attribute)) {
      out.is_array = true;
      if (std::string problem = addDense(dense); !problem.empty())
        return problem;
      return finishArray();
    }
    if (auto dense = dyn_cast<DenseElementsAttr>(attribute)) {
      out.is_array = dense.getType().getRank() > 0;
      if (dense.getType().getRank() > 1)
        return "a tensor of more than one dimension";
      return addElements(dense);
    }
    return addOne(attribute);
  }

private:
  /// An array without values is of some kind, too.
  std::string finishArray() {
    if (out.kind == format::AttributeKind::none)
      out.kind = format::AttributeKind::integer;
    return {};
  }

  std::string become(format::AttributeKind kind) {
    if (out.kind != format::AttributeKind::none && out.kind != kind)
      return "an array of several kinds of values";
    out.kind = kind;
    return {};
  }

  std::string addInteger(Type type, const APInt &value) {
    if (type.isInteger(1)) {
      out.integers.push_back(!value.isZero());
      return become(format::AttributeKind::boolean);
    }
    bool isUnsigned = type.isUnsignedInteger();
    if (isUnsigned ? value.getActiveBits() > 63
                   : value.getSignificantBits() > 64)
      return "an integer beyond 64 bits with a sign";
    out.integers.push_back(isUnsigned ? int64_t(value.getZExtValue())
                                      : value.getSExtValue());
    return become(format::AttributeKind::integer);
  }

  std::string addFloat(APFloat value) {
    bool lost = false;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
    if (lost && !value.isNaN())
      return "a number that f64 does not hold";
    out.reals.push_back(value.convertToDouble());
    return become(format::AttributeKind::real);
  }

  std::string addOne(Attribute attribute) {
    if (auto text = dyn_cast<StringAttr>(attribute)) {
      out.texts.push_back(text.str());
      return become(format::AttributeKind::text);
    }
    if (isa<UnitAttr>(attribute)) {
      out.integers.push_back(1);
      return become(format::AttributeKind::boolean);
    }
    if (auto number = dyn_cast<IntegerAttr>(attribute))
      return addInteger(number.getType(), number.getValue());
    if (auto number = dyn_cast<FloatAttr>(attribute))
      return addFloat(number.getValue());
    std::string text;
    llvm::raw_string_ostream(text) << attribute;
    return "of another kind: " + text;
  }

  std::string addDense(DenseArrayAttr array) {
    return llvm::TypeSwitch<Attribute, std::string>(array)
        .Case([&](DenseBoolArrayAttr list) {
          llvm::append_range(out.integers, list.asArrayRef());
          return become(format::AttributeKind::boolean);
        })
        .Case<DenseI8ArrayAttr, DenseI16ArrayAttr, DenseI32ArrayAttr,
              DenseI64ArrayAttr>([&](auto list) {
          llvm::append_range(out.integers, list.asArrayRef());
          return become(format::AttributeKind::integer);
        })
        .Case<DenseF32ArrayAttr, DenseF64ArrayAttr>([&](auto list) {
          llvm::append_range(out.reals, list.asArrayRef());
          return become(format::AttributeKind::real);
        })
        .Default([](Attribute) { return "of another kind"; });
  }

  std::string addElements(DenseElementsAttr dense) {
    Type element = dense.getElementType();
    std::string problem;
    if (isa<IntegerType>(element)) {
      for (const APInt &value : dense.getValues<APInt>())
        if (problem.empty())
          problem = addInteger(element, value);
    } else if (isa<FloatType>(element)) {
      for (const APFloat &value : dense.getValues<APFloat>())
        if (problem.empty())
          problem = addFloat(value);
    } else {
      return "of another kind";
    }
    return problem.empty() ? finishArray() : problem;
  }

  format::AttributeT &out;
};
} // namespace

FailureOr<std::vector<std::unique_ptr<format::AttributeT>>>
heddle::writeAttributes(Location loc, StringRef target,
                        DictionaryAttr attributes) {
  std::vector<std::unique_ptr<format::AttributeT>> list;
  // A dictionary is sorted by name.
  for (NamedAttribute named : attributes) {
    auto written = std::make_unique<format::AttributeT>();
    written->name = named.getName().str();
    std::string problem;
    if (written->name.empty() || StringRef(written->name).contains('\0'))
      problem = "without a proper name";
    else
      problem = ValueCollector(*written).addAll(named.getValue());
    if (!problem.empty())
      return emitError(loc, ErrorCode::CustomCallForm)
             << "custom call '" << target << "' has an attribute '"
             << named.getName() << "', " << problem
             << "; booleans, integers, floats, strings and arrays of these are "
                "handed on";
    list.push_back(std::move(written));
  }
  return list;
}
