// What `heddle inspect` shows.

#ifndef HEDDLE_DRIVER_INSPECTDOCUMENT_H
#define HEDDLE_DRIVER_INSPECTDOCUMENT_H

#include "heddle/Driver/Session.h"

namespace heddle {

/// Describes a model or artifact, in the session's text (the part called `show`
/// in full) and as a document: of its entries the one called `entry`, or all if
/// that is empty. None after an error, which has been reported.
std::optional<llvm::json::Object> inspectDocument(Session &session,
                                                  const ModelOptions &model,
                                                  llvm::StringRef show = "",
                                                  llvm::StringRef entry = "");

} // namespace heddle

#endif // HEDDLE_DRIVER_INSPECTDOCUMENT_H
