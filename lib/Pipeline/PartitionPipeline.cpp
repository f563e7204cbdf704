// The passes that make the program of one device out of a sharded one.

#include "heddle/Pipeline/PartitionPipeline.h"

#include "passes/Graph/Passes.h"
#include "passes/Sharding/Passes.h"

#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace heddle;

void heddle::buildPartitionPipeline(OpPassManager &manager) {
  manager.addPass(createReadOlderShardings());
  manager.addPass(createInlineCalls());
  // Of functions that nobody calls any more some speak of parts.
  manager.addPass(createSymbolDCEPass());
  manager.addPass(createSplitConstants());
  manager.addPass(createPropagateShardings());
  manager.addPass(createPartition());
  manager.addPass(createCSEPass());
}

void heddle::buildRanksPipeline(OpPassManager &manager) {
  buildPartitionPipeline(manager);
  manager.addPass(createPartConstants());
  manager.addPass(createLeadCollectives());
  manager.addPass(createRecordParts());
}
