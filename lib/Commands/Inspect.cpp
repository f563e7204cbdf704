// heddle inspect and heddle verify.

#include "heddle/Commands/InspectCommands.h"

#include "heddle/Driver/ArtifactQueries.h"
#include "heddle/Driver/InspectDocument.h"
#include "runtime/format/ArtifactReader.h"

using namespace heddle;

int heddle::runInspect(const InspectCommand &command) {
  Session session(command.common, command.model.path);
  std::optional<llvm::json::Object> document = inspectDocument(
      session, command.model, command.show, command.entry, command.kernel);
  return document ? session.finish(std::move(*document)) : session.fail();
}

int heddle::runVerify(const VerifyCommand &command) {
  Session session(command.common, command.path);
  format::ArtifactReader artifact;
  format::Error error = artifact.open(command.path);
  if (!error)
    error = artifact.verifyWeights();
  if (error)
    return session.fail(toErrorCode(error), error.message());
  session.text() << command.path << ": " << formatBytes(artifact.file().size)
                 << ", every hash and every plan checked\n";
  return session.finish(llvm::json::Object{
      {"file", command.path}, {"bytes", int64_t(artifact.file().size)}});
}
