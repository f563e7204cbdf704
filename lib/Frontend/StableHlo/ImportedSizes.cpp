// Meets sizes of a program that is imported, and makes types of extents.

#include "lib/Frontend/StableHlo/ImportedSizes.h"

#include "dialects/StableHlo/QuantizedTypes.h"
#include "dialects/StableHlo/TypeInference.h"
#include "heddle/Support/TensorLimits.h"
#include "heddle/Support/Weights.h"

#include "mlir/IR/Operation.h"

using namespace mlir;
using heddle::size::Expression;

namespace heddle {

std::string ImportedSizes::declare(Operation *op, StringRef what,
                                   int64_t maximum) {
  auto named = op->getLoc()->findInstanceOf<NameLoc>();
  std::string base =
      named ? named.getName().str() : op->getName().stripDialect().str();
  base += ("." + what).str();
  std::string name = base;
  auto isTaken = [&] {
    return ranges.facts(name).maximum != size::SymbolFacts().maximum;
  };
  for (unsigned i = 1; isTaken(); ++i)
    name = base + std::to_string(i);
  ranges.declare(name, {0, maximum, 1});
  return name;
}

Expression ImportedSizes::addComputed(Operation *op, int64_t maximum,
                                      Value count) {
  std::string name = declare(op, "size", maximum);
  computedSizes.push_back({name, maximum, count});
  return Expression::symbol(op->getContext(), name);
}

void ImportedSizes::wantAtCall(Operation *op, Value misfit) {
  computedSizes.push_back({declare(op, "misfit", 0), 0, misfit});
}

LogicalResult ImportedSizes::checkChosen(Expression expression, Operation *op,
                                         const Twine &text) {
  for (StringRef name : expression.symbols())
    if (llvm::any_of(computedSizes,
                     [&](const Computed &each) { return each.name == name; }))
      return emitError(op->getLoc(), ErrorCode::StableHloDynamicShape)
             << "'" << op->getName() << "' wants " << text
             << ", which the data decides: no call can be asked for it";
  return success();
}

Expression ImportedSizes::meet(Expression a, Expression b, Operation *op) {
  if (a && b && a != b) {
    Expression difference = ranges.simplified(a - b);
    if (difference && !ranges.isZero(difference) &&
        failed(checkChosen(difference, op, a.text() + " = " + b.text())))
      return {};
    if (!found && !ranges.isZero(difference))
      found = size::differingSymbols(difference);
    if (found)
      return {};
  }
  return SizeAssumptions::meet(a, b, op);
}

LogicalResult ImportedSizes::wantNotNegative(Expression expression,
                                             Operation *op, const Twine &text) {
  expression = ranges.simplified(expression);
  if (!expression)
    return emitError(op->getLoc(), ErrorCode::StableHloDynamicShape)
           << "'" << op->getName()
           << "' has a size that is too long an expression";
  if (ranges.isNeverNegative(expression))
    return success();
  if (ranges.isAlwaysPositive(-expression))
    return emitError(op->getLoc(), ErrorCode::StableHloDynamicShape)
           << "'" << op->getName() << "' wants " << text
           << ", which no size gives";
  if (failed(checkChosen(expression, op, text)))
    return failure();
  assume(Expression::isPositive(-expression), op, text);
  ranges.assumeNotNegative(expression);
  return success();
}

LogicalResult ImportedSizes::wantTrue(Expression condition, Operation *op,
                                      const Twine &text, ErrorCode code) {
  std::optional<bool> isFalse = ranges.isZero(condition);
  if (isFalse == true)
    return emitError(op->getLoc(), code) << text;
  Expression fails = ranges.simplified(1 - condition);
  if (isFalse == false || fails.isConstant(0))
    return success();
  if (failed(checkChosen(fails, op, text)))
    return failure();
  assume(fails, op, text);
  // What is wanted not to be negative helps to decide what follows.
  if (std::optional<Expression> gap = size::notNegativeWhere(condition))
    ranges.assumeNotNegative(*gap);
  return success();
}

LogicalResult ImportedSizes::wantWithin(ArrayRef<Expression> parts,
                                        ArrayRef<Expression> extents,
                                        Operation *op) {
  for (auto [part, extent] : llvm::zip_equal(parts, extents))
    if (failed(wantNotNegative(part, op, part.text() + " >= 0")) ||
        failed(wantNotNegative(extent - part, op,
                               part.text() + " <= " + extent.text())))
      return failure();
  return success();
}

RankedTensorType ImportedSizes::typeOf(Operation *op, RankedTensorType declared,
                                       ArrayRef<Expression> extents) {
  auto fail = [&](ErrorCode code) {
    return emitError(op->getLoc(), code) << "'" << op->getName() << "' ";
  };
  if (declared.getRank() != int64_t(extents.size())) {
    fail(ErrorCode::StableHloInvalid)
        << "has " << extents.size() << " sizes for a result of type "
        << declared;
    return {};
  }
  ArrayRef<int64_t> limits = stablehlo::boundsOf(declared);
  SmallVector<Expression> known;
  SmallVector<int64_t> shape;
  for (auto [i, extent] : llvm::enumerate(extents)) {
    Expression size = ranges.simplified(extent);
    if (!size) {
      fail(ErrorCode::StableHloDynamicShape)
          << "has a size that is too long an expression";
      return {};
    }
    if (ranges.interval(size).high < 0) {
      fail(ErrorCode::StableHloDynamicShape) << "has a negative size";
      return {};
    }
    if (failed(wantNotNegative(size, op, size.text() + " >= 0")))
      return {};
    if (!declared.isDynamicDim(i) && !size::hasExtents(declared)) {
      size = meet(
          size, Expression::constant(op->getContext(), declared.getDimSize(i)),
          op);
      if (!size)
        return {};
    }
    known.push_back(size);
    shape.push_back(bound(size));
    // A form that was made of them may know that they are less.
    if (size::hasExtents(declared) && size::extentOf(declared, i) == size)
      shape.back() = std::min(shape.back(), declared.getDimSize(i));
    if (!limits.empty() && ShapedType::isStatic(limits[i]) &&
        shape.back() > limits[i]) {
      fail(ErrorCode::StableHloDynamicShape)
          << "has a result of " << shape.back() << " elements in dimension "
          << i << ", for which its type " << declared << " has a bound of "
          << limits[i];
      return {};
    }
  }
  auto type = RankedTensorType::get(shape, declared.getElementType());
  // Quantized elements are stored as integers.
  std::optional<uint64_t> bytes =
      storedBytes(type.clone(stablehlo::storedType(type.getElementType())));
  if (!bytes || *bytes > maximumTensorBytes) {
    fail(ErrorCode::TensorTooLarge) << "has a result of type " << type
                                    << ", which takes more than 2^40 bytes";
    return {};
  }
  return size::withExtents(type, known);
}

void setSized(Operation *op, StringRef name, ArrayRef<Expression> expressions) {
  if (!llvm::all_of(expressions,
                    [](Expression each) { return each.isConstant(); }))
    op->setAttr(stablehlo::sizedAttributeName(name),
                size::extentsAttr(op->getContext(), expressions));
}

} // namespace heddle
