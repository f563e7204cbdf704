// What most of the runtime's sources include; precompiled once for each build of it. A source still includes what it uses: this file only makes that
// cheap.
#include "runtime/format/artifact_generated.h"
#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>
