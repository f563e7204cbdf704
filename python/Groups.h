// Processes that a launcher started together.

#ifndef HEDDLE_PYTHON_GROUPS_H
#define HEDDLE_PYTHON_GROUPS_H

#include "heddle/runtime.h"

#include <nanobind/nanobind.h>

#include <filesystem>
#include <optional>
#include <string>

namespace heddle::python {

namespace nb = nanobind;

/// The group that this process is of, until it leaves. Who does not leave is
/// missed by the others when the process ends, as what has failed.
class Group {
public:
  /// What is not given is said by variables, as heddle_group_options describes
  /// it; `rank` and `count` are given together.
  Group(const std::string &engine, std::optional<int64_t> rank,
        std::optional<int64_t> count,
        const std::optional<std::string> &rendezvous,
        const std::optional<std::filesystem::path> &secretFile);
  Group(const Group &) = delete;

  uint32_t rank() const { return heddle_group_rank(handle()); }
  uint32_t count() const { return heddle_group_count(handle()); }
  void leave();
  /// Raises where the group has been left.
  heddle_group *handle() const;

private:
  heddle_group *group = nullptr;
};

void bindGroups(nb::module_ &module);

} // namespace heddle::python

#endif // HEDDLE_PYTHON_GROUPS_H
