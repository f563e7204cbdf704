// The header of a portable artifact, and its version.

#include "heddle/Frontend/PortableArtifact.h"

#include "dialects/Vhlo/Vhlo.h"
#include "heddle/Support/Diagnostics.h"

#include "mlir/Bytecode/BytecodeWriter.h"

using namespace mlir;
using namespace heddle::vhlo;

namespace heddle {

LogicalResult checkPortableVersion(Location loc, StringRef bytes) {
  StringRef producer = producerOf(bytes);
  if (!producer.consume_front(kProducerPrefix))
    return success();
  std::optional<Version> version = Version::parse(producer);
  if (!version)
    return emitError(loc, ErrorCode::PortableVersion)
           << "'" << producer << "' is no version of StableHLO";
  if (kNewest < Version{version->major, version->minor, 0})
    return emitError(loc, ErrorCode::PortableVersion)
           << "the portable artifact is of StableHLO " << producer
           << "; reading it needs a heddle that knows this version, this one "
              "knows "
           << kOldest.str() << " to " << kNewest.str()
           << ": write it for a target version of " << kNewest.str()
           << " or older";
  if (*version < kOldest)
    return emitError(loc, ErrorCode::PortableVersion)
           << "the portable artifact is of StableHLO " << producer
           << ", the oldest version that can be read is " << kOldest.str();
  return success();
}

LogicalResult writePortableArtifact(ModuleOp module, StringRef version,
                                    llvm::raw_ostream &os) {
  OwningOpRef<ModuleOp> copy = module.clone();
  if (failed(convertToVhlo(*copy, version)))
    return failure();
  Version target = *Version::parse(version);
  // The writer does not copy it.
  std::string producer = (kProducerPrefix + target.str()).str();
  BytecodeWriterConfig config(producer);
  config.setDesiredBytecodeVersion(bytecodeVersionOf(target));
  return writeBytecodeToFile(*copy, os, config);
}

} // namespace heddle
