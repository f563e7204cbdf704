// The one JSON document that a command with --json writes, however it ends.

#ifndef HEDDLE_DRIVER_DOCUMENT_H
#define HEDDLE_DRIVER_DOCUMENT_H

#include "llvm/Support/JSON.h"

namespace heddle {

/// Keeps standard output for the document: what else writes there from now on,
/// a library that was loaded for custom calls or a program that is started,
/// writes to standard error.
void reserveDocument();

/// Whether the caller is the one to write the document and to end the process.
/// False for whoever comes second: another thread met a limit, or crashed. The
/// process that forked has none to write. Safe in a signal handler.
bool claimDocument();

/// Writes text behind `claimDocument`, by system calls alone; false, with
/// `errno` set, if that cannot be done. Safe in a signal handler.
bool writeDocumentText(const char *text, size_t bytes);

/// Claims and writes. If another thread is about to end the process, this waits
/// for that. False, with `errno` set, if the document cannot be written.
bool writeDocument(llvm::json::Object document);

/// Whether `path` is a name of standard output or of standard error, and
/// somebody may read what goes there.
bool isStandardStream(llvm::StringRef path);

} // namespace heddle

#endif // HEDDLE_DRIVER_DOCUMENT_H
