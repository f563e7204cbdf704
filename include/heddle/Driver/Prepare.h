// The steps that commands share: a model becomes a module, an artifact, a
// program.

#ifndef HEDDLE_DRIVER_PREPARE_H
#define HEDDLE_DRIVER_PREPARE_H

#include "heddle/Driver/FileKind.h"
#include "heddle/Driver/Program.h"

namespace heddle {

/// An artifact at a path: the user's, or one that was compiled just now and
/// goes away with this object.
class PreparedArtifact {
public:
  explicit PreparedArtifact(std::string path, bool temporary = false)
      : name(std::move(path)), temporary(temporary) {}
  PreparedArtifact(PreparedArtifact &&other)
      : name(std::move(other.name)), temporary(other.temporary) {
    other.temporary = false;
  }
  PreparedArtifact &operator=(PreparedArtifact &&) = delete;
  ~PreparedArtifact();
  const std::string &path() const { return name; }

private:
  std::string name;
  bool temporary;
};

/// The artifact at the model's path, or the model compiled. None after an
/// error, which has been reported.
std::optional<PreparedArtifact> prepareArtifact(Session &session,
                                                const ModelOptions &model,
                                                const BuildOptions &build);

} // namespace heddle

#endif // HEDDLE_DRIVER_PREPARE_H
