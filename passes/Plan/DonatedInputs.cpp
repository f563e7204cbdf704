#include "passes/Plan/DonatedInputs.h"

#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/EntrySizes.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace heddle;

/// On a result: the number of the input that it replaces.
static constexpr llvm::StringLiteral replacesName = "heddle.replaces";

std::optional<unsigned> heddle::replacedInput(func::FuncOp main,
                                              unsigned result) {
  auto input = main.getResultAttrOfType<IntegerAttr>(result, replacesName);
  if (!input || input.getValue().uge(main.getNumArguments()))
    return std::nullopt;
  return input.getInt();
}

LogicalResult heddle::matchDonatedInputs(func::FuncOp main) {
  Builder builder(main.getContext());
  FunctionType type = main.getFunctionType();
  auto give = [&](unsigned input, unsigned output) {
    main.setResultAttr(output, replacesName, builder.getI64IntegerAttr(input));
  };
  for (unsigned i = 0; i < type.getNumInputs(); ++i) {
    auto output = main.getArgAttrOfType<IntegerAttr>(i, "tf.aliasing_output");
    // Inputs whose size the call chooses are copied anyway.
    if (!output || main.getArgAttr(i, kShapeAttrName))
      continue;
    auto fail = [&] {
      return emitError(main.getLoc(), ErrorCode::StableHloInvalid)
             << "argument " << i
             << " has tf.aliasing_output = " << output.getInt();
    };
    if (output.getValue().uge(type.getNumResults()))
      return fail() << ", but there are " << type.getNumResults() << " results";
    unsigned number = output.getInt();
    if (type.getInput(i) != type.getResult(number))
      return fail() << ", a result of type " << type.getResult(number)
                    << ", and is " << type.getInput(i);
    std::optional<unsigned> other = replacedInput(main, number);
    if (other && *other != i)
      return fail() << ", a result that argument " << *other
                    << " is given to already";
    give(i, number);
  }
  for (unsigned i = 0; i < type.getNumInputs(); ++i) {
    auto donor = main.getArgAttrOfType<BoolAttr>(i, "jax.buffer_donor");
    if (!donor || !donor.getValue() || main.getArgAttr(i, kShapeAttrName))
      continue;
    // Again for a module that has been here.
    bool given = false;
    for (unsigned j = 0; j < type.getNumResults(); ++j)
      given |= replacedInput(main, j) == i;
    for (unsigned j = 0; j < type.getNumResults() && !given; ++j)
      if (type.getResult(j) == type.getInput(i) && !replacedInput(main, j) &&
          !main.getResultAttr(j, kShapeAttrName)) {
        give(i, j);
        given = true;
      }
  }
  return success();
}
