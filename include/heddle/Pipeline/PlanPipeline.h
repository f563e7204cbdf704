// From launches to commands on buffers.

#ifndef HEDDLE_PIPELINE_PLANPIPELINE_H
#define HEDDLE_PIPELINE_PLANPIPELINE_H

#include "heddle/Target/Placement.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace heddle {

/// The first step of it alone: says of every launch on which device it runs.
void addPlacement(mlir::OpPassManager &manager, const Placement &placement);

/// Places launches on devices as `placement` says, brings values to where they
/// are read, and makes the plan.
void buildPlanPipeline(mlir::OpPassManager &manager,
                       const Placement &placement = {});

} // namespace heddle

#endif // HEDDLE_PIPELINE_PLANPIPELINE_H
