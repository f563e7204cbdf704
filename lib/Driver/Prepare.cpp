#include "heddle/Driver/Prepare.h"

#include <unistd.h>

using namespace mlir;
using namespace heddle;

PreparedArtifact::~PreparedArtifact() {
  if (temporary)
    ::unlink(name.c_str());
}

std::optional<PreparedArtifact>
heddle::prepareArtifact(Session &session, const ModelOptions &model,
                        const BuildOptions &build) {
  if (fileKindOf(model.path) == FileKind::Artifact)
    return PreparedArtifact(model.path);
  session.diagnostics.report(ErrorCode::NotAnArtifact,
                             "the file does not start like an artifact");
  return std::nullopt;
}
