// Programs that say in XLA's older words where tensors lie become programs that
// say it in those of sdy: attributes, calls that constrain, and bodies that see
// one device's part.

#include "passes/Sharding/OlderShardings.h"
#include "passes/Sharding/Passes.h"

#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/SignatureAttributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_READOLDERSHARDINGS
#include "passes/Sharding/Passes.h.inc"

static stablehlo::CustomCallOp callOf(Operation *op, StringRef target) {
  auto call = dyn_cast_or_null<stablehlo::CustomCallOp>(op);
  return call && call.getCallTargetName() == target &&
                 call->getNumOperands() == 1 && call->getNumResults() == 1
             ? call
             : stablehlo::CustomCallOp();
}

static constexpr llvm::StringLiteral kConstrain = "Sharding",
                                     kToPart = "SPMDFullToShardShape",
                                     kToWhole = "SPMDShardToFullShape";

/// The dimensions that `backend_config = "unspecified_dims=[0,2]"` leaves open;
/// false for text that is no such list.
static bool readOpenDimensions(stablehlo::CustomCallOp call, int64_t rank,
                               SmallVectorImpl<int64_t> &open) {
  auto config = dyn_cast_or_null<StringAttr>(call.getBackendConfigAttr());
  StringRef text = config ? config.getValue() : StringRef();
  if (text.empty())
    return true;
  if (!text.consume_front("unspecified_dims=[") || !text.consume_back("]"))
    return false;
  SmallVector<StringRef> numbers;
  text.split(numbers, ',');
  for (StringRef number : numbers) {
    int64_t dimension;
    if (number.trim().getAsInteger(10, dimension) || dimension < 0 ||
        dimension >= rank)
      return false;
    open.push_back(dimension);
  }
  return true;
}

namespace {
struct ReadOlderShardings : impl::ReadOlderShardingsBase<ReadOlderShardings> {
  using ReadOlderShardingsBase::ReadOlderShardingsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!hasOlderShardings(module))
      return;
    if (failed(findMesh()) || failed(readSignatures()) ||
        failed(readBodies()) || failed(readOperations()))
      signalPassFailure();
  }

private:
  LogicalResult findMesh() {
    for (auto op : getOperation().getOps<sdy::MeshOp>()) {
      if (op.getMesh().getAxes().empty())
        continue;
      if (mesh)
        return op.emitError("is one mesh of several: which of them "
                            "mhlo.sharding means is not known");
      mesh = op;
    }
    if (!mesh)
      return getOperation().emitError(
          "has mhlo.sharding, and no mesh whose axes it could be said in");
    return success();
  }

  /// What a text says of a value of this type; null for what is no tensor, and
  /// for parts, which nothing is said of.
  FailureOr<sdy::TensorShardingAttr> read(StringAttr text, Type type,
                                          Operation *op) {
    std::string problem;
    std::optional<OlderSharding> sharding =
        parseOlderSharding(text.getValue(), problem);
    auto tensor = dyn_cast<RankedTensorType>(type);
    sdy::TensorShardingAttr result;
    if (sharding && (!tensor || sharding->kind == OlderSharding::Kind::Manual))
      return result;
    if (sharding)
      result = translate(*sharding, tensor.getRank(), mesh, problem);
    if (result)
      return result;
    return op->emitError("has mhlo.sharding ")
           << text << ", which is not read: " << problem;
  }

  /// What is said in both ways is what sdy says.
  LogicalResult readOf(NamedAttrList &attributes, Type type, Operation *op) {
    auto text =
        dyn_cast_or_null<StringAttr>(attributes.erase(kOlderShardingAttr));
    if (!text || attributes.get(sdy::kShardingAttr))
      return success();
    FailureOr<sdy::TensorShardingAttr> sharding = read(text, type, op);
    if (succeeded(sharding) && *sharding)
      attributes.set(sdy::kShardingAttr, *sharding);
    return sharding;
  }

  LogicalResult readSignatures() {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      SignatureAttributes attributes(function);
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        if (failed(readOf(attributes.argument(i),
                          function.getArgumentTypes()[i], function)))
          return failure();
      for (unsigned i = 0; i < function.getNumResults(); ++i)
        if (failed(readOf(attributes.result(i), function.getResultTypes()[i],
                          function)))
          return failure();
      attributes.store();
    }
    return success();
  }

  LogicalResult readBodies() {
    SmallVector<func::CallOp> calls;
    getOperation().walk([&](func::CallOp call) {
      bool isBody = llvm::any_of(call.getOperands(), [](Value operand) {
        return bool(callOf(operand.getDefiningOp(), kToPart));
      });
      if (isBody)
        calls.push_back(call);
    });
    for (func::CallOp call : calls)
      if (failed(readBody(call)))
        return failure();
    return success();
  }

  /// The call that makes a part of a body a whole again; null if something else
  /// uses it. A constraint of parts may stand between.
  static stablehlo::CustomCallOp wholeOf(Value part) {
    for (int i = 0; i < 2 && part.hasOneUse(); ++i) {
      Operation *user = *part.user_begin();
      if (auto call = callOf(user, kToWhole))
        return call;
      auto constraint = callOf(user, kConstrain);
      if (!constraint)
        return {};
      part = constraint->getResult(0);
    }
    return {};
  }

  /// Calls of parts, between calls that make them and wholes again, become a
  /// computation by hand.
  LogicalResult readBody(func::CallOp call) {
    SmallVector<Value> wholes;
    SmallVector<sdy::TensorShardingAttr> ins, outs;
    SmallVector<Operation *> dead;
    SmallVector<Value> results;
    auto refuse = [&] {
      return call.emitError("computes on parts, between which and the rest of "
                            "the program stands more than "
                            "SPMDFullToShardShape and SPMDShardToFullShape; "
                            "what jax writes for shard_map is read");
    };
    for (Value operand : call.getOperands()) {
      auto part = callOf(operand.getDefiningOp(), kToPart);
      auto whole = part
                       ? callOf(part->getOperand(0).getDefiningOp(), kConstrain)
                       : stablehlo::CustomCallOp();
      auto text = whole ? whole->getAttrOfType<StringAttr>(kOlderShardingAttr)
                        : StringAttr();
      if (!text)
        return refuse();
      FailureOr<sdy::TensorShardingAttr> sharding =
          read(text, whole->getResult(0).getType(), whole);
      if (failed(sharding) || !*sharding)
        return failed(sharding) ? failure() : refuse();
      wholes.push_back(whole->getOperand(0));
      ins.push_back(*sharding);
    }
    for (Value result : call.getResults()) {
      auto whole = wholeOf(result);
      auto text = whole ? whole->getAttrOfType<StringAttr>(kOlderShardingAttr)
                        : StringAttr();
      if (!text)
        return refuse();
      FailureOr<sdy::TensorShardingAttr> sharding =
          read(text, whole->getResult(0).getType(), whole);
      if (failed(sharding) || !*sharding)
        return failed(sharding) ? failure() : refuse();
      results.push_back(whole->getResult(0));
      outs.push_back(*sharding);
    }
    write(call, wholes, ins, outs, results);
    return success();
  }

  /// All axes are those of the body.
  void write(func::CallOp call, ArrayRef<Value> wholes,
             ArrayRef<sdy::TensorShardingAttr> ins,
             ArrayRef<sdy::TensorShardingAttr> outs, ArrayRef<Value> results) {
    MLIRContext *context = &getContext();
    SmallVector<StringAttr> axes;
    for (sdy::MeshAxisAttr axis : mesh.getMesh().getAxes())
      axes.push_back(axis.getName());
    // Behind all that made its operands.
    OpBuilder builder(call);
    auto manual = sdy::ManualComputationOp::create(
        builder, call.getLoc(), TypeRange(ValueRange(results)),
        ValueRange(wholes), sdy::TensorShardingPerValueAttr::get(context, ins),
        sdy::TensorShardingPerValueAttr::get(context, outs),
        sdy::ManualAxesAttr::get(context, axes));
    Block &body = manual.getBody().emplaceBlock();
    SmallVector<Value> parts;
    for (Value operand : call.getOperands())
      parts.push_back(body.addArgument(operand.getType(), call.getLoc()));
    OpBuilder inner = OpBuilder::atBlockBegin(&body);
    auto moved = func::CallOp::create(inner, call.getLoc(), call.getCallee(),
                                      call.getResultTypes(), parts);
    sdy::ReturnOp::create(inner, call.getLoc(), moved.getResults());
    SmallVector<Operation *> before;
    for (Value operand : call.getOperands())
      before.push_back(operand.getDefiningOp());
    for (auto [old, made] : llvm::zip_equal(results, manual.getResults())) {
      Value part = old.getDefiningOp()->getOperand(0);
      Value(old).replaceAllUsesWith(made);
      old.getDefiningOp()->erase();
      if (Operation *constraint = part.getDefiningOp();
          callOf(constraint, kConstrain))
        constraint->erase();
    }
    call.erase();
    for (Operation *part : before)
      eraseUnused(part);
  }

  /// One operand may have been given twice.
  void eraseUnused(Operation *part) {
    if (erased.contains(part) || !part->use_empty())
      return;
    erased.insert(part);
    Operation *whole = part->getOperand(0).getDefiningOp();
    part->erase();
    if (whole->use_empty())
      whole->erase();
  }

  LogicalResult readOperations() {
    SmallVector<Operation *> found;
    getOperation().walk([&](Operation *op) {
      if (callOf(op, kConstrain) || callOf(op, kToPart) ||
          callOf(op, kToWhole) || op->hasAttr(kOlderShardingAttr))
        found.push_back(op);
    });
    for (Operation *op : found)
      if (failed(readOperation(op)))
        return failure();
    return success();
  }

  LogicalResult readOperation(Operation *op) {
    if (callOf(op, kToPart) || callOf(op, kToWhole))
      return op->emitError("stands for itself; what jax writes for shard_map "
                           "is read, a call of parts between such operations");
    if (auto call = callOf(op, kConstrain))
      return readConstraint(call);
    auto text =
        dyn_cast_or_null<StringAttr>(op->removeAttr(kOlderShardingAttr));
    if (!text || op->hasAttr(sdy::kShardingAttr))
      return success();
    if (op->getNumResults() != 1)
      return op->emitError("has mhlo.sharding ")
             << text << ", which is not read: it has " << op->getNumResults()
             << " results";
    FailureOr<sdy::TensorShardingAttr> sharding =
        read(text, op->getResult(0).getType(), op);
    if (succeeded(sharding) && *sharding)
      op->setAttr(sdy::kShardingAttr, sdy::TensorShardingPerValueAttr::get(
                                          &getContext(), *sharding));
    return sharding;
  }

  LogicalResult readConstraint(stablehlo::CustomCallOp call) {
    Value operand = call->getOperand(0), result = call->getResult(0);
    auto text = call->getAttrOfType<StringAttr>(kOlderShardingAttr);
    FailureOr<sdy::TensorShardingAttr> sharding =
        text ? read(text, result.getType(), call) : sdy::TensorShardingAttr();
    if (failed(sharding))
      return failure();
    if (operand.getType() != result.getType())
      return call.emitError("gives another type than it takes");
    if (*sharding) {
      SmallVector<int64_t> open;
      if (!readOpenDimensions(call, sharding->getRank(), open))
        return call.emitError("has a backend_config that is not read: ")
               << call.getBackendConfigAttr();
      for (int64_t dimension : open)
        *sharding = sharding->withDimension(
            dimension, sdy::DimensionShardingAttr::open(
                           &getContext(),
                           sharding->getDimShardings()[dimension].getAxes()));
      OpBuilder builder(call);
      operand = sdy::ShardingConstraintOp::create(builder, call.getLoc(),
                                                  operand, *sharding);
    }
    result.replaceAllUsesWith(operand);
    call->erase();
    return success();
  }

  sdy::MeshOp mesh;
  llvm::SmallPtrSet<Operation *, 8> erased;
};
} // namespace
} // namespace heddle
