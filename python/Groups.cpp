// Joins processes, and lets them leave.

#include "Groups.h"

#include "Status.h"

#include <nanobind/stl/string.h>

#include <utility>

using namespace heddle::python;

Group::Group(const std::string &engine) {
  heddle_group_options options{};
  options.size = sizeof options;
  options.engine = engine.c_str();
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
      "for those of mpirun. Programs that are loaded with `group=` are called "
      "by all processes, each with its own parts. In a `with` statement it is "
      "left at the end; where that is an error, the others learn it when this "
      "process ends.")
      .def(nb::init<const std::string &>(), nb::arg("engine") = "tcp")
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
