// What a user may have meant by a name that does not exist.

#ifndef HEDDLE_SUPPORT_SUGGESTION_H
#define HEDDLE_SUPPORT_SUGGESTION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace heddle {

/// The end of a message about a name that is none of `known`: the nearest one
/// if one is near, else all of them if they are few. Begins with "; " or is
/// empty.
inline std::string suggest(llvm::StringRef wrong,
                           llvm::ArrayRef<std::string> known) {
  constexpr size_t kMostListed = 12;
  size_t most = std::max<size_t>(wrong.size() / 3, 1);
  const std::string *nearest = nullptr;
  for (const std::string &name : known) {
    size_t distance = wrong.edit_distance(name, /*AllowReplacements=*/true,
                                          /*MaxEditDistance=*/most);
    if (distance > most)
      continue;
    nearest = &name;
    // Only a nearer one is better.
    if (distance == 0)
      break;
    most = distance - 1;
  }
  if (nearest)
    return "; did you mean " + *nearest + "?";
  if (known.empty() || known.size() > kMostListed)
    return "";
  std::string all = "; there are: ";
  for (size_t i = 0; i < known.size(); ++i)
    all += (i ? ", " : "") + known[i];
  return all;
}

} // namespace heddle

#endif // HEDDLE_SUPPORT_SUGGESTION_H
