// What `heddle inspect` shows.

#ifndef HEDDLE_DRIVER_INSPECTDOCUMENT_H
#define HEDDLE_DRIVER_INSPECTDOCUMENT_H

#include "heddle/Driver/Session.h"

namespace heddle {

/// Describes a model or artifact, in the session's text (the part called `show`
/// in full) and as a document: of its entries the one called `entry`, or all if
/// that is empty. With `kernel`, a node or kernel of an artifact, the text says
/// of its kernels alone how they are made. None after an error, which has been
/// reported.
std::optional<llvm::json::Object> inspectDocument(Session &session,
                                                  const ModelOptions &model,
                                                  llvm::StringRef show = "",
                                                  llvm::StringRef entry = "",
                                                  llvm::StringRef kernel = "");

} // namespace heddle

#endif // HEDDLE_DRIVER_INSPECTDOCUMENT_H
