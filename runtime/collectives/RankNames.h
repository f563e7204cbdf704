// Ranks in messages.

#ifndef HEDDLE_RUNTIME_COLLECTIVES_RANKNAMES_H
#define HEDDLE_RUNTIME_COLLECTIVES_RANKNAMES_H

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::runtime {

/// "rank 2", "ranks 1 and 3", "ranks 1, 2, 5 and 9 others".
std::string rankNames(const std::vector<uint32_t> &ranks);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_COLLECTIVES_RANKNAMES_H
