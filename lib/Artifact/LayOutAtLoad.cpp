// A processor maps a weight from the file as its kernels read it; a device gets
// a copy of its own anyway, at load. So the device's kernels may want another
// order, and the file still holds one: a kernel takes each element from where
// the processor's form has it.

#include "LayOutAtLoad.h"

#include "HostKernels.h"
#include "LoadKernels.h"
#include "dialects/Dist/Dist.h"
#include "dialects/Kernel/LoadLaunches.h"
#include "passes/Plan/ValuePlaces.h"

using namespace mlir;
using namespace heddle;

namespace {
/// Rewrites one module.
class LoadLayouts {
public:
  LoadLayouts(ModuleOp module, const StoredForms &forms)
      : module(module), forms(forms), symbols(module) {}

  void run();

private:
  void layOut(ArrayRef<kernel::WeightRefOp> references,
              const LoadKernel &kernel);
  kernel::WeightOp share(kernel::WeightOp stored);
  func::FuncOp add(func::FuncOp kernel);

  ModuleOp module;
  const StoredForms &forms;
  SymbolTable symbols;
  /// The module's own of what processors store.
  llvm::DenseMap<Operation *, kernel::WeightOp> shared;
  /// By their text.
  llvm::StringMap<func::FuncOp> kernels;
};
} // namespace

/// Of some weights each rank has parts of its own, which no load brings to a
/// device; those that a device packs or scales itself it reads so; and of those
/// without elements nothing is made.
static bool mayBeLaidOut(kernel::WeightOp weight) {
  return !weight.getPacking() && !weight.getScale() &&
         !dist::hasParts(weight.getBody().front()) &&
         cast<RankedTensorType>(weight.getValueType()).getNumElements() != 0;
}

void LoadLayouts::run() {
  llvm::MapVector<StringAttr, SmallVector<kernel::WeightRefOp>> references;
  module.walk([&](kernel::WeightRefOp reference) {
    references[reference.getWeightAttr().getAttr()].push_back(reference);
  });
  for (auto &[name, list] : references) {
    auto weight = symbols.lookup<kernel::WeightOp>(name);
    Type element = list.front().getType().getElementType();
    // One kernel is to do for all readers.
    bool isHeldOnce = llvm::all_of(list, [&](kernel::WeightRefOp reference) {
      return reference.getType().getElementType() == element;
    });
    if (!isHeldOnce || !mayBeLaidOut(weight) || forms.has(weight))
      continue;
    if (auto kernel = LoadKernel::of(weight, element, forms)) {
      layOut(list, *kernel);
      symbols.erase(weight);
    }
  }
}

/// The kernel's text: equal texts are equal kernels.
static std::string textOf(func::FuncOp function) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  function->print(stream, OpPrintingFlags().useLocalScope());
  return text;
}

func::FuncOp LoadLayouts::add(func::FuncOp kernel) {
  func::FuncOp &known = kernels[textOf(kernel)];
  if (known) {
    kernel.erase();
    return known;
  }
  kernel.setName("lay_out" + std::to_string(kernels.size() - 1));
  auto first = *module.getOps<func::FuncOp>().begin();
  symbols.insert(kernel, first->getIterator());
  return known = kernel;
}

/// The weight with those that scale it.
kernel::WeightOp LoadLayouts::share(kernel::WeightOp stored) {
  auto [known, isNew] = shared.try_emplace(stored);
  if (!isNew)
    return known->second;
  kernel::WeightOp copy = stored.clone();
  auto own = [&](FlatSymbolRefAttr name) {
    auto other = SymbolTable::lookupNearestSymbolFrom<kernel::WeightOp>(
        stored->getParentOp(), name);
    return FlatSymbolRefAttr::get(share(other).getSymNameAttr());
  };
  if (FlatSymbolRefAttr scale = stored.getScaleAttr())
    copy.setScaleAttr(own(scale));
  if (FlatSymbolRefAttr zeroPoint = stored.getZeroPointAttr())
    copy.setZeroPointAttr(own(zeroPoint));
  symbols.insert(copy, module.getBody()->begin());
  return shared[stored] = copy;
}

/// Gives each use of `value` behind reshapes a chain of reshapes of its own,
/// which begins with what `make` gives.
static void forkUses(Value value, function_ref<Value(OpBuilder &)> make) {
  for (OpOperand &use : llvm::make_early_inc_range(value.getUses())) {
    Operation *user = use.getOwner();
    if (!isReshape(user)) {
      OpBuilder builder(user);
      use.set(make(builder));
      continue;
    }
    forkUses(user->getResult(0), [&](OpBuilder &builder) {
      Value source = make(builder);
      Operation *copy = builder.clone(*user);
      copy->setOperand(0, source);
      return copy->getResult(0);
    });
    user->erase();
  }
}

void LoadLayouts::layOut(ArrayRef<kernel::WeightRefOp> references,
                         const LoadKernel &load) {
  func::FuncOp kernel = add(load.make());
  SmallVector<kernel::WeightOp> weights = llvm::map_to_vector(
      load.weights(), [&](kernel::WeightOp stored) { return share(stored); });
  for (kernel::WeightRefOp reference : references) {
    // Each reader's own, which lies where that runs.
    forkUses(reference, [&](OpBuilder &builder) -> Value {
      Location loc = reference.getLoc();
      SmallVector<Value> stored;
      for (auto [weight, type] :
           llvm::zip_equal(weights, kernel.getArgumentTypes()))
        stored.push_back(
            kernel::WeightRefOp::create(builder, loc, type, weight.getName()));
      auto launch = kernel::LaunchOp::create(
          builder, loc, kernel.getResultTypes(), kernel.getName(), stored,
          /*sizes=*/ValueRange(), builder.getArrayAttr({}));
      launch->setAttr(kernel::kAtLoadAttrName, builder.getUnitAttr());
      return launch.getOutputs()[0];
    });
    reference.erase();
  }
}

void heddle::layOutAtLoad(ArrayRef<DispatchedModule> modules,
                          const CompileOptions &options) {
  auto isForDevices = [&](const DispatchedModule &one) {
    return hasOwnDevices(*options.targets[one.targets.front()]);
  };
  if (llvm::all_equal(llvm::map_range(modules, isForDevices)))
    return;
  StoredForms forms;
  for (const DispatchedModule &one : modules)
    if (!isForDevices(one))
      forms.add(one.module);
  for (const DispatchedModule &one : modules)
    if (isForDevices(one))
      LoadLayouts(one.module, forms).run();
}
