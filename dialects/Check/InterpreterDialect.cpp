// The interpreter dialect: one operation that runs functions as the processes
// of a grid.

#include "dialects/Check/Check.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "dialects/Check/InterpreterDialect.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/Check/InterpreterOps.cpp.inc"

using namespace mlir;

namespace heddle::interpreter {

void InterpreterDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/Check/InterpreterOps.cpp.inc"
      >();
}

int64_t RunParallelOp::getNumReplicas() { return getPrograms().size(); }

int64_t RunParallelOp::getNumPartitions() {
  return getPrograms().empty() ? 0 : cast<ArrayAttr>(getPrograms()[0]).size();
}

LogicalResult RunParallelOp::verify() {
  if (getNumReplicas() == 0 || getNumPartitions() == 0)
    return emitOpError("has a grid without programs");
  for (Attribute row : getPrograms())
    if (int64_t(cast<ArrayAttr>(row).size()) != getNumPartitions())
      return emitOpError("has a row of ")
             << cast<ArrayAttr>(row).size() << " programs; the first has "
             << getNumPartitions();
  return success();
}

LogicalResult RunParallelOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto find = [&](Attribute name) -> func::FuncOp {
    auto function = symbols.lookupNearestSymbolFrom<func::FuncOp>(
        *this, cast<FlatSymbolRefAttr>(name));
    if (!function)
      emitOpError("names ") << name << ", which is no function";
    return function;
  };
  SmallVector<Type> inputs, results;
  for (Attribute row : getPrograms())
    for (Attribute name : cast<ArrayAttr>(row)) {
      func::FuncOp function = find(name);
      if (!function)
        return failure();
      llvm::append_range(inputs, function.getArgumentTypes());
      llvm::append_range(results, function.getResultTypes());
    }
  if (!llvm::equal(getInputs().getTypes(), inputs))
    return emitOpError("has inputs that are not those of its programs");
  if (!llvm::equal(getResultTypes(), results))
    return emitOpError("has results that are not those of its programs");
  if (ArrayAttr infeed = getInfeedAttr())
    for (Attribute name : infeed) {
      func::FuncOp function = find(name);
      if (!function)
        return failure();
      if (function.getNumArguments())
        return emitOpError("feeds in ") << name << ", which takes arguments";
    }
  return success();
}

} // namespace heddle::interpreter
