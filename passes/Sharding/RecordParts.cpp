// What is left of shardings behind the partition: how the tensors of callers
// are cut, as numbers.

#include "passes/Sharding/Passes.h"

#include "dialects/Sdy/DevicePositions.h"
#include "dialects/Sdy/Sdy.h"
#include "heddle/Support/PartTypes.h"
#include "heddle/Support/SignatureAttributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_RECORDPARTS
#include "passes/Sharding/Passes.h.inc"

/// The attributes of an argument or a result of type `held`: its sharding
/// becomes cuts. A part of one element may have the type of the whole.
static void record(NamedAttrList &attributes, Type held, Operation *from) {
  auto sharding = dyn_cast_or_null<sdy::TensorShardingAttr>(
      attributes.get(sdy::kShardingAttr));
  if (!sharding)
    return;
  attributes.erase(sdy::kShardingAttr);
  SmallVector<int64_t> cuts;
  if (sdy::MeshAttr mesh = sharding.meshOf(from))
    for (auto [dim, cut] : llvm::enumerate(sharding.getDimShardings()))
      sdy::appendCuts(cuts, dim, cut.getAxes(), mesh);
  if (cuts.empty()) {
    attributes.erase(kWholeTypeAttrName);
    return;
  }
  if (!attributes.get(kWholeTypeAttrName))
    attributes.set(kWholeTypeAttrName, TypeAttr::get(held));
  attributes.set(kCutsAttrName,
                 DenseI64ArrayAttr::get(from->getContext(), cuts));
}

namespace {
struct RecordParts : impl::RecordPartsBase<RecordParts> {
  using RecordPartsBase::RecordPartsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto count = module->getAttrOfType<IntegerAttr>("mhlo.num_partitions");
    if (count && count.getInt() > 1)
      module->setAttr(kRanksAttrName, count);
    for (auto function : module.getOps<func::FuncOp>()) {
      SignatureAttributes attributes(function);
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        record(attributes.argument(i), function.getArgumentTypes()[i],
               function);
      for (unsigned i = 0; i < function.getNumResults(); ++i)
        record(attributes.result(i), function.getResultTypes()[i], function);
      attributes.store();
    }
    dropRest();
  }

private:
  void dropRest() {
    SmallVector<Operation *> meshes;
    getOperation().walk([&](Operation *op) {
      if (isa<sdy::MeshOp>(op))
        meshes.push_back(op);
      for (NamedAttribute attribute : llvm::to_vector(op->getAttrs()))
        if (attribute.getName().getValue().starts_with("sdy."))
          op->removeAttr(attribute.getName());
    });
    for (Operation *mesh : meshes)
      mesh->erase();
  }
};
} // namespace
} // namespace heddle
