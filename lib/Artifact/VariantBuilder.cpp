#include "VariantBuilder.h"

#include "passes/Plan/Passes.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace heddle;

void heddle::loadVariantDialects(MLIRContext *context) {
  loadKernelDialects(context);
  DialectRegistry registry;
  createBuildPlan()->getDependentDialects(registry);
  context->appendDialectRegistry(registry);
  for (StringRef name : registry.getDialectNames())
    context->getOrLoadDialect(name);
}

LogicalResult heddle::buildVariant(ModuleOp module, const Machine &machine,
                                   const CompileOptions &options,
                                   CompiledVariant &variant) {
  variant.machine = machine;
  variant.plan = module.clone();
  FailureOr<CompiledKernels> compiled =
      compileKernels(*variant.plan, machine, options);
  if (failed(compiled))
    return failure();
  static_cast<CompiledKernels &>(variant) = std::move(*compiled);

  PassManager planning(module.getContext());
  planning.addPass(createBuildPlan());
  if (failed(planning.run(*variant.plan)))
    return failure();
  return options.afterStage ? options.afterStage("heddle-plan", *variant.plan)
                            : success();
}
