// Standard streams of a process, which whoever started it may have closed.

#ifndef HEDDLE_SUPPORT_STANDARDSTREAMS_H
#define HEDDLE_SUPPORT_STANDARDSTREAMS_H

namespace heddle {

/// Opens the standard streams that whoever started the process left closed: the
/// next file that is opened would become one of them. What is printed on one
/// that was closed is an error, as on a full disk.
void openStandardStreams();

/// Ends what `llvm::outs()` was given: `status`, or 1 after a line to standard
/// error, in the name of `tool`, that it could not be written.
int finishOutput(const char *tool, int status);

} // namespace heddle

#endif // HEDDLE_SUPPORT_STANDARDSTREAMS_H
