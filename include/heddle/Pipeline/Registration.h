// Registers what heddle consists of: dialects, passes and named pipelines.

#ifndef HEDDLE_PIPELINE_REGISTRATION_H
#define HEDDLE_PIPELINE_REGISTRATION_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace heddle {

/// Adds heddle's dialects and the upstream ones that its pipelines produce.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Registers every pass and named pipeline with the global pass registry.
void registerAllPasses();

} // namespace heddle

#endif // HEDDLE_PIPELINE_REGISTRATION_H
