// Joins processes, and lets them leave.

#include "Groups.h"

#include "Status.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <utility>

using namespace heddle::python;

/// What a number has to be that the C interface cannot tell from one that is
/// not given.
static uint32_t read(const char *name, int64_t number, int64_t least,
                     int64_t most) {
  if (number < least || number > most)
    raise(HEDDLE_ARGUMENT_INVALID,
          (std::string(name) + " is " + std::to_string(number) +
           ", and should be a number from " + std::to_string(least) + " to " +
           std::to_string(most))
              .c_str());
  return uint32_t(number);
}

Group::Group(const std::string &engine, std::optional<int64_t> rank,
             std::optional<int64_t> count,
             const std::optional<std::string> &rendezvous,
             const std::optional<std::filesystem::path> &secretFile) {
  heddle_group_options options{};
  options.size = sizeof options;
  options.engine = engine.c_str();
  if (rank.has_value() != count.has_value())
    raise(HEDDLE_ARGUMENT_INVALID,
          rank ? "of rank and count only rank is given"
               : "of rank and count only count is given");
  if (count) {
    options.count = read("count", *count, 1, 1 << 20);
    options.rank = read("rank", *rank, 0, *count - 1);
  }
  options.rendezvous = rendezvous ? rendezvous->c_str() : nullptr;
  options.secret_file = secretFile ? secretFile->c_str() : nullptr;
  heddle_status status;
  {
    nb::gil_scoped_release release;
    status = heddle_group_join(&options, &group);
  }
  check(status);
}

heddle_group *Group::handle() const {
  if (!group)
    raise(HEDDLE_ARGUMENT_INVALID, "this process has left the group");
  return group;
}

void Group::leave() {
  heddle_group *left = std::exchange(group, nullptr);
  heddle_status status;
  {
    nb::gil_scoped_release release;
    status = heddle_group_leave(left);
  }
  // Another thread is in a call: the group can still be left later.
  if (status.code == HEDDLE_CONTEXT_BUSY)
    group = left;
  check(status);
}

void heddle::python::bindGroups(nb::module_ &module) {
  nb::class_<Group>(
      module, "Group",
      "The processes that a launcher started to run programs together, of "
      "which this is one. `engine` says by what they send each other tensors: "
      "\"tcp\", sockets between those of torchrun, srun or a shell, or "
      "\"mpi\", "
      "for those of mpirun. By \"tcp\" this is process `rank` of `count`, "
      "process "
      "0 waits for the others at `rendezvous` (\"HOST:PORT\", "
      "\"[::1]:29500\"), and they know each other by what is in "
      "`secret_file`; for each of these that is not given (rank and count are "
      "given together) it is said by variables: RANK and WORLD_SIZE, "
      "HEDDLE_RENDEZVOUS or MASTER_ADDR and MASTER_PORT, HEDDLE_SECRET or "
      "HEDDLE_SECRET_FILE. What is wrong, or does not come, raises "
      "HeddleError, "
      "which names it. Programs that are loaded with `group=` are called "
      "by all processes, each with its own parts. In a `with` statement it is "
      "left at the end; where that is an error, the others learn it when this "
      "process ends.")
      .def(nb::init<const std::string &, std::optional<int64_t>,
                    std::optional<int64_t>, const std::optional<std::string> &,
                    const std::optional<std::filesystem::path> &>(),
           nb::arg("engine") = "tcp", nb::kw_only(),
           nb::arg("rank") = nb::none(), nb::arg("count") = nb::none(),
           nb::arg("rendezvous") = nb::none(),
           nb::arg("secret_file") = nb::none())
      .def_prop_ro("rank", &Group::rank, "The number of this process, from 0.")
      .def_prop_ro("count", &Group::count, "How many processes there are.")
      .def("leave", &Group::leave,
           "All processes leave, and wait for each other, which Ctrl-C does "
           "not end. Not while a model of the group is in a call.")
      .def(
          "abort",
          [](const Group &group, int exitCode) {
            heddle_group_abort(group.handle(), exitCode);
          },
          nb::arg("exit_code") = 1,
          "Ends all processes at once, this one with the exit code.")
      .def("__enter__", [](nb::object self) { return self; })
      .def(
          "__exit__",
          [](Group &group, nb::handle type, nb::handle, nb::handle) {
            if (type.is_none())
              group.leave();
          },
          nb::arg().none(), nb::arg().none(), nb::arg().none());
}
