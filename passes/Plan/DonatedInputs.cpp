// Pairs inputs with the outputs that replace them.

#include "passes/Plan/DonatedInputs.h"

#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/EntrySizes.h"
#include "heddle/Support/EntryTypes.h"
#include "heddle/Support/SignatureAttributes.h"
#include "passes/Plan/EntryTensors.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseSet.h"

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
  SignatureAttributes attributes(main);
  // The inputs that results replace, some of them given by whoever was here
  // before.
  SmallVector<std::optional<unsigned>> replaced;
  llvm::SmallDenseSet<unsigned> given;
  for (unsigned i = 0; i < type.getNumResults(); ++i) {
    replaced.push_back(replacedInput(main, i));
    if (replaced[i])
      given.insert(*replaced[i]);
  }
  auto give = [&](unsigned input, unsigned output) {
    replaced[output] = input;
    given.insert(input);
    attributes.result(output).set(replacesName,
                                  builder.getI64IntegerAttr(input));
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
    Type given = declaredArgumentType(main, i),
         taken = declaredResultType(main, number);
    if (given != taken)
      return fail() << ", a result of type " << taken << ", and is " << given;
    // What the entry keeps is nobody's to give or to take.
    if (stateOfArgument(main, i) || stateOfResult(main, number))
      continue;
    if (replaced[number] && *replaced[number] != i)
      return fail() << ", a result that argument " << *replaced[number]
                    << " is given to already";
    give(i, number);
  }
  // Of each type the results that replace nothing, the first one last.
  llvm::DenseMap<Type, SmallVector<unsigned>> open;
  for (unsigned i = type.getNumResults(); i-- > 0;)
    if (!replaced[i] && !main.getResultAttr(i, kShapeAttrName) &&
        !stateOfResult(main, i))
      open[declaredResultType(main, i)].push_back(i);
  for (unsigned i = 0; i < type.getNumInputs(); ++i) {
    auto donor = main.getArgAttrOfType<BoolAttr>(i, "jax.buffer_donor");
    if (!donor || !donor.getValue() || main.getArgAttr(i, kShapeAttrName) ||
        stateOfArgument(main, i) || given.contains(i))
      continue;
    if (auto results = open.find(declaredArgumentType(main, i));
        results != open.end() && !results->second.empty())
      give(i, results->second.pop_back_val());
  }
  attributes.store();
  return success();
}
