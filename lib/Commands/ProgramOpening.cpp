// From a model or an artifact to a program with inputs, states and threads.

#include "ProgramOpening.h"

#include "heddle/Driver/Feeds.h"
#include "heddle/Driver/FileKind.h"

using namespace heddle;

/// Something that is to be compiled. What is nothing known is for who reads it.
static bool isModel(const ModelOptions &model) {
  FileKind kind = fileKindOf(model.path);
  return !model.entries.empty() ||
         (kind != FileKind::Artifact && kind != FileKind::Unknown);
}

bool ProgramOpening::open() {
  if (group && isModel(command.model)) {
    session.diagnostics.report(
        ErrorCode::BadCommandLine,
        "--engine " + command.engine +
            ": each process would compile the model; compile it with `heddle "
            "compile --mesh` and run the artifact");
    return false;
  }
  if (!customCalls.open(session, command.model.customCalls))
    return false;
  artifact = prepareArtifact(session, command.model, command.build);
  return artifact.has_value();
}

std::unique_ptr<Program> ProgramOpening::load(uint32_t flags) {
  return Program::load(session, artifact->path, flags, command.variant,
                       command.entry, customCalls.functions(), command.devices);
}

bool ProgramOpening::prepare(Program &program) {
  if (command.ranks && command.ranks != program.rankCount()) {
    std::string held = std::to_string(program.rankCount());
    session.diagnostics.report(
        ErrorCode::BadCommandLine,
        "--devices " + std::to_string(command.ranks) + ": the program is for " +
            held +
            (program.isPartitioned()
                 ? " devices: write --devices " + held +
                       ", or compile it with another --mesh"
                 : " device; --mesh partitions one with shardings"));
    return false;
  }
  if (!command.engine.empty() && !program.isPartitioned()) {
    session.diagnostics.report(
        ErrorCode::BadCommandLine,
        "--engine " + command.engine +
            ": the program is for 1 device; --mesh partitions one with "
            "shardings");
    return false;
  }
  if (!program.setSizes(command.model))
    return false;
  auto gathered = gatherFeeds(session, program, command.feed, madeUp);
  if (!gathered)
    return false;
  inputs = std::move(*gathered);
  return program.prepare(command.threads, command.engine, group) &&
         program.fillStates(inputs);
}
