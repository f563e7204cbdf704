// Shardings on one device: what they mean there is nothing, which is said.

#include "lib/Frontend/StableHlo/Shardings.h"

#include "dialects/Sdy/Sdy.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/SignatureAttributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace heddle {

void allowShardings(MLIRContext &context) {
  context.loadDialect<sdy::SdyDialect>();
}

bool mentionsShardings(StringRef text) { return text.contains("sdy."); }

//===----------------------------------------------------------------------===//
// What is said
//===----------------------------------------------------------------------===//

void IgnoredShardings::remark(Location loc) const {
  if (!any())
    return;
  SmallVector<std::string> parts;
  auto add = [&](int64_t count, StringRef what) {
    if (count > 0)
      parts.push_back(
          (Twine(count) + " " + what + (count == 1 ? "" : "s")).str());
  };
  add(arguments, "argument");
  add(results, "result");
  add(values, "operation");
  add(constraints, "constraint");
  add(groups, "group member");
  emitRemark(loc) << "the program is compiled for one device; its shardings"
                  << (meshes.empty() ? "" : " over ") << meshes
                  << " are ignored (" << llvm::join(parts, ", ") << ")";
}

/// `@mesh ("data"=4, "model"=2)`, for meshes of more than one device.
static void describe(sdy::MeshOp op, IgnoredShardings &ignored) {
  if (op.getMesh().deviceCount() < 2)
    return;
  std::string axes;
  for (sdy::MeshAxisAttr axis : op.getMesh().getAxes())
    axes += (axes.empty() ? "" : ", ") + axis.getName().str() + "=" +
            std::to_string(axis.getSize());
  ignored.meshes += (ignored.meshes.empty() ? "" : ", ") +
                    ("mesh @" + op.getSymName() + " (" + axes + ")").str();
}

/// Whether a sharding puts parts of a value, or all of it, on certain devices.
static bool saysSomething(sdy::TensorShardingAttr sharding, Operation *from) {
  sdy::MeshAttr mesh = sharding.meshOf(from);
  bool found = mesh && mesh.isSingleDevice();
  sharding.forEachAxis(
      [&](sdy::AxisRefAttr axis) { found |= mesh && axis.sizeOn(mesh) > 1; });
  return found;
}

/// Where a value lies, in the older words of XLA: one device or all of them is
/// nothing to speak of.
static bool saysSomething(StringAttr sharding) {
  StringRef text = sharding.getValue();
  return !text.empty() && text != "{replicated}" && text != "{manual}" &&
         !text.starts_with("{maximal");
}

static bool saysSomething(Attribute attribute, Operation *from) {
  if (auto sharding = dyn_cast<sdy::TensorShardingAttr>(attribute))
    return saysSomething(sharding, from);
  if (auto list = dyn_cast<sdy::TensorShardingPerValueAttr>(attribute))
    return llvm::any_of(list.getShardings(), [&](sdy::TensorShardingAttr one) {
      return saysSomething(one, from);
    });
  if (auto text = dyn_cast<StringAttr>(attribute))
    return saysSomething(text);
  return false;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// The body of a computation takes its place.
static LogicalResult inlineBody(Operation *op) {
  Block &body = op->getRegion(0).front();
  Operation *end = &body.back();
  if (body.getArgumentTypes() != op->getOperandTypes() ||
      end->getOperandTypes() != op->getResultTypes()) {
    InFlightDiagnostic error =
        emitError(op->getLoc(), ErrorCode::StableHloOperator)
        << "'" << op->getName()
        << "' computes on parts of its operands; programs are compiled for "
           "one device";
    error.attachNote() << "export it for a mesh of one device";
    return error;
  }
  op->replaceAllUsesWith(end->getOperands());
  for (auto [argument, operand] :
       llvm::zip_equal(body.getArguments(), op->getOperands()))
    argument.replaceAllUsesWith(operand);
  // The results may have been the arguments.
  end->erase();
  op->getBlock()->getOperations().splice(op->getIterator(),
                                         body.getOperations());
  op->erase();
  return success();
}

static void forward(Operation *op) {
  op->replaceAllUsesWith(op->getOperands());
  op->erase();
}

LogicalResult dropShardingOperations(ModuleOp module,
                                     IgnoredShardings &ignored) {
  SmallVector<Operation *> found;
  SmallVector<sdy::MeshOp> meshes;
  // Inner ones come first.
  module.walk([&](Operation *op) {
    if (auto mesh = dyn_cast<sdy::MeshOp>(op))
      meshes.push_back(mesh);
    else if (isa_and_nonnull<sdy::SdyDialect>(op->getDialect()) &&
             !isa<sdy::ReturnOp>(op))
      found.push_back(op);
  });
  for (Operation *op : found) {
    LogicalResult dropped =
        llvm::TypeSwitch<Operation *, LogicalResult>(op)
            .Case<sdy::ManualComputationOp, sdy::NamedComputationOp>(
                [](auto computation) { return inlineBody(computation); })
            .Case([&](sdy::ShardingGroupOp group) {
              ++ignored.groups;
              group->erase();
              return success();
            })
            .Case([](sdy::ConstantOp constant) -> LogicalResult {
              return emitError(constant.getLoc(), ErrorCode::StableHloOperator)
                     << "'sdy.constant' is for programs that are being "
                        "partitioned; write stablehlo.constant";
            })
            .Case<sdy::ShardingConstraintOp, sdy::ReshardOp>(
                [&](auto constraint) {
                  ignored.constraints +=
                      saysSomething(constraint.getSharding(), constraint);
                  forward(constraint);
                  return success();
                })
            .Case<sdy::PropagationBarrierOp, sdy::DataFlowEdgeOp,
                  sdy::FuncDataFlowEdgeOp>([](auto edge) {
              forward(edge);
              return success();
            })
            .Default([](Operation *collective) -> LogicalResult {
              return emitError(collective->getLoc(),
                               ErrorCode::StableHloOperator)
                     << "'" << collective->getName()
                     << "' moves parts between devices; programs are compiled "
                        "for one device";
            });
    if (failed(dropped))
      return failure();
  }
  for (sdy::MeshOp mesh : meshes)
    describe(mesh, ignored);
  return success();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// Drops what lists carry, one for each argument or result; how many said
/// something.
template <typename Get>
static int64_t dropOf(unsigned count, Get list, Operation *from) {
  int64_t said = 0;
  for (unsigned i = 0; i < count; ++i) {
    NamedAttrList &attributes = list(i);
    SmallVector<StringAttr> dropped;
    for (NamedAttribute attribute : attributes) {
      bool isOurs = attribute.getName().getValue().starts_with("sdy.");
      if (isOurs)
        dropped.push_back(attribute.getName());
      if (isOurs || attribute.getName() == "mhlo.sharding")
        said += saysSomething(attribute.getValue(), from);
    }
    for (StringAttr name : dropped)
      attributes.erase(name);
  }
  return said;
}

void dropShardingAttributes(ModuleOp module, IgnoredShardings &ignored) {
  for (auto function : module.getOps<func::FuncOp>()) {
    SignatureAttributes attributes(function);
    ignored.arguments += dropOf(
        function.getNumArguments(),
        [&](unsigned i) -> NamedAttrList & { return attributes.argument(i); },
        function);
    ignored.results += dropOf(
        function.getNumResults(),
        [&](unsigned i) -> NamedAttrList & { return attributes.result(i); },
        function);
    attributes.store();
  }
  module.walk([&](Operation *op) {
    for (NamedAttribute attribute :
         llvm::to_vector(op->getDiscardableAttrs())) {
      bool isOurs = attribute.getName().getValue().starts_with("sdy.");
      if (isOurs || attribute.getName() == "mhlo.sharding")
        ignored.values += saysSomething(attribute.getValue(), op);
      if (isOurs)
        op->removeDiscardableAttr(attribute.getName());
    }
  });
  // Attributes name meshes, which therefore go last.
  for (auto mesh : llvm::make_early_inc_range(module.getOps<sdy::MeshOp>()))
    mesh->erase();
}

} // namespace heddle
