// JSON text of files that nobody vouches for.

#ifndef HEDDLE_SUPPORT_JSONTEXT_H
#define HEDDLE_SUPPORT_JSONTEXT_H

#include "llvm/ADT/StringRef.h"

namespace heddle {

/// Whether JSON nests deeper than texts with a few facts do: 16 levels. Readers
/// that call themselves for each level end the process where there are many.
inline bool isNestedTooDeeply(llvm::StringRef text) {
  unsigned depth = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (inString) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        inString = false;
    } else if (c == '"') {
      inString = true;
    } else if (c == '{' || c == '[') {
      if (++depth > 16)
        return true;
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return false;
}

} // namespace heddle

#endif // HEDDLE_SUPPORT_JSONTEXT_H
