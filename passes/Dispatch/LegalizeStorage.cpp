// Up to here tensors have the elements that the model has. Those that no kernel
// of the target holds become bytes: tensors of i8 with the element's bits, and
// arithmetic on integers in place of the conversions to and from what is
// computed in.

#include "dialects/Kernel/Kernel.h"
#include "dialects/Prec/Prec.h"
#include "heddle/Support/EntryTypes.h"
#include "passes/Dispatch/DispatchTarget.h"
#include "passes/Dispatch/NarrowFloats.h"
#include "passes/Dispatch/Passes.h"
#include "passes/Lower/Scalar/ScalarConversions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_LEGALIZESTORAGE
#include "passes/Dispatch/Passes.h.inc"

namespace {
/// A conversion of a scalar, with the types it had before tensors changed
/// theirs.
struct Conversion {
  Operation *op;
  Type from, to;
};

/// Builds a conversion whose operand, result or both became bytes.
class ConversionBuilder {
public:
  ConversionBuilder(const DispatchFacts &facts, const Conversion &conversion)
      : facts(facts), op(conversion.op), from(conversion.from),
        to(conversion.to), b(op), loc(op->getLoc()), operand(op->getOperand(0)),
        result(op->getResult(0).getType()) {}

  Value build() {
    return llvm::TypeSwitch<Operation *, Value>(op)
        .Case<arith::ExtFOp, arith::TruncFOp>([&](auto) { return number(); })
        .Case([&](arith::ExtSIOp) { return extended<arith::ExtSIOp>(true); })
        .Case([&](arith::ExtUIOp) { return extended<arith::ExtUIOp>(false); })
        .Case([&](arith::TruncIOp truncation) { return truncated(truncation); })
        .Case([&](arith::BitcastOp) { return bits(); });
  }

private:
  Value number() {
    Type f32 = b.getF32Type();
    Value wide =
        facts.holds(from) ? operand : decodeNarrowFloat(b, loc, operand, from);
    if (facts.holds(to))
      return convertScalar(b, loc, wide, wide.getType(), to);
    if (wide.getType().getIntOrFloatBitWidth() < 32)
      wide = arith::ExtFOp::create(b, loc, f32, wide);
    return encodeNarrowFloat(b, loc, wide, to);
  }

  /// The number that the low bits of a byte are, as many as `type` has: what
  /// the bits above hold does not count.
  Value lowBits(Value byte, Type type, bool isSigned) {
    unsigned width = type.getIntOrFloatBitWidth();
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(b, loc, b.getI8IntegerAttr(value));
    };
    if (!isSigned)
      return arith::AndIOp::create(b, loc, byte, constant((1 << width) - 1));
    Value unused = constant(8 - width);
    Value high = arith::ShLIOp::create(b, loc, byte, unused);
    return arith::ShRSIOp::create(b, loc, high, unused);
  }

  template <typename Extension> Value extended(bool isSigned) {
    Value held = facts.holds(from) ? operand : lowBits(operand, from, isSigned);
    return held.getType() == result
               ? held
               : Extension::create(b, loc, result, held).getResult();
  }

  /// Without flags the number has a sign, which fills the byte. One of which
  /// nothing is lost fills it as it is.
  Value truncated(arith::TruncIOp truncation) {
    Value narrow =
        operand.getType() == result
            ? operand
            : arith::TruncIOp::create(b, loc, result, operand).getResult();
    bool isWhole =
        truncation.getOverflowFlags() != arith::IntegerOverflowFlags::none;
    return facts.holds(to) || isWhole ? narrow : lowBits(narrow, to, true);
  }

  Value bits() {
    if (operand.getType() == result)
      return operand;
    // One of both is held in as many bits as it has.
    Type own = b.getIntegerType(from.getIntOrFloatBitWidth());
    if (facts.holds(from)) {
      Value integer =
          isa<FloatType>(from)
              ? arith::BitcastOp::create(b, loc, own, operand).getResult()
              : operand;
      return arith::ExtUIOp::create(b, loc, result, integer);
    }
    Value integer =
        own == operand.getType()
            ? operand
            : arith::TruncIOp::create(b, loc, own, operand).getResult();
    return own == result
               ? integer
               : arith::BitcastOp::create(b, loc, result, integer).getResult();
  }

  const DispatchFacts &facts;
  Operation *op;
  Type from, to;
  OpBuilder b;
  Location loc;
  Value operand;
  Type result;
};

struct LegalizeStorage : impl::LegalizeStorageBase<LegalizeStorage> {
  void runOnOperation() override {
    std::shared_ptr<const Target> target = dispatchTarget(getOperation());
    if (!target)
      return signalPassFailure();
    facts = &target->dispatchFacts();
    conversions.clear();
    bool changes = false, fits = true;
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.walk([&](Operation *op) {
        if (isHeld(op))
          return;
        changes = true;
        fits &= succeeded(prepare(op));
      });
    if (!fits)
      return signalPassFailure();
    if (!changes)
      return;
    changeTypes();
    for (const Conversion &conversion : conversions) {
      conversion.op->getResult(0).replaceAllUsesWith(
          ConversionBuilder(*facts, conversion).build());
      conversion.op->erase();
    }
  }

private:
  bool isHeld(Type type) const {
    return facts->holds(getElementTypeOrSelf(type));
  }

  /// Whether kernels hold all that `op` takes and gives. Arguments of its
  /// regions have the elements of its operands or results.
  bool isHeld(Operation *op) const {
    auto isTypeHeld = [&](Type type) { return isHeld(type); };
    if (auto function = dyn_cast<func::FuncOp>(op))
      return llvm::all_of(function.getArgumentTypes(), isTypeHeld) &&
             llvm::all_of(function.getResultTypes(), isTypeHeld);
    return llvm::all_of(op->getOperandTypes(), isTypeHeld) &&
           llvm::all_of(op->getResultTypes(), isTypeHeld);
  }

  /// What the types alone do not say any more is noted before they change.
  LogicalResult prepare(Operation *op) {
    if (isa<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp,
            arith::TruncIOp, arith::BitcastOp>(op)) {
      conversions.push_back(
          {op, op->getOperand(0).getType(), op->getResult(0).getType()});
      return success();
    }
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      return keepBits(constant);
    if (auto contract = dyn_cast<kernel::ContractOp>(op))
      nameElements(contract);
    else if (auto convolution = dyn_cast<kernel::ConvolutionOp>(op))
      nameElements(convolution);
    else if (isa<kernel::AttentionOp>(op) ||
             (!isa<arith::SelectOp>(op) &&
              isa<arith::ArithDialect, math::MathDialect, prec::PrecDialect>(
                  op->getDialect())))
      return op->emitError()
             << "'" << op->getName()
             << "' computes with elements that the target's kernels do not "
                "hold";
    return success();
  }

  LogicalResult keepBits(arith::ConstantOp constant) {
    APInt bits;
    if (auto real = dyn_cast<FloatAttr>(constant.getValue()))
      bits = real.getValue().bitcastToAPInt();
    else if (auto integer = dyn_cast<IntegerAttr>(constant.getValue()))
      bits = integer.getValue();
    else
      return constant.emitError() << "a constant that is no number";
    constant.setValueAttr(
        IntegerAttr::get(IntegerType::get(&getContext(), 8), bits.zext(8)));
    return success();
  }

  /// The root says what its operands hold in bytes.
  template <typename Root> void nameElements(Root root) {
    Type lhs = getElementTypeOrSelf(root->getOperand(0)),
         rhs = getElementTypeOrSelf(root->getOperand(1));
    if (!facts->holds(lhs) && !root.getLhsType())
      root.setLhsType(lhs);
    if (!facts->holds(rhs) && !root.getRhsType())
      root.setRhsType(rhs);
  }

  /// Weights keep the model's elements: they are stored as bytes that kernels
  /// load.
  void changeTypes() {
    Type byte = IntegerType::get(&getContext(), 8);
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](Type type) -> std::optional<Type> {
      return facts->holds(type) ? std::nullopt : std::optional(byte);
    });
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      changeHeldTypes(function, cast<FunctionType>(replacer.replace(
                                    function.getFunctionType())));
      replacer.recursivelyReplaceElementsIn(function, /*replaceAttrs=*/false,
                                            /*replaceLocs=*/false,
                                            /*replaceTypes=*/true);
    }
  }

  const DispatchFacts *facts = nullptr;
  SmallVector<Conversion> conversions;
};
} // namespace
} // namespace heddle
