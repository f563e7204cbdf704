// The control groups that this process is in, which limit what it may have.

#ifndef HEDDLE_RUNTIME_CONTROLGROUPS_H
#define HEDDLE_RUNTIME_CONTROLGROUPS_H

#include <algorithm>
#include <string>

namespace heddle::runtime {

/// The start of a file of /proc or /sys, which is enough of each; empty where
/// it cannot be read.
std::string readStart(const std::string &path);

/// Calls `visit` for the process's group of each version of control groups that
/// has `controller`, and for those around it, the innermost first: with the
/// group's path below where groups are mounted, "" for the outermost, and with
/// whether it is of the second version.
///
/// `root` stands in front of "/proc", for tests.
template <typename Visit>
void forEachControlGroup(const std::string &root, const std::string &controller,
                         Visit visit) {
  // Lines are "0::/path" (version 2) or "4:cpu,cpuacct:/path".
  std::string groups = readStart(root + "/proc/self/cgroup");
  for (size_t begin = 0; begin < groups.size();) {
    size_t end = std::min(groups.find('\n', begin), groups.size());
    std::string line = groups.substr(begin, end - begin);
    begin = end + 1;
    size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos)
      continue;
    std::string controllers =
        "," + line.substr(first + 1, second - first - 1) + ",";
    bool isUnified = controllers == ",,";
    if (!isUnified &&
        controllers.find("," + controller + ",") == std::string::npos)
      continue;
    std::string path = line.substr(second + 1);
    while (true) {
      while (!path.empty() && path.back() == '/')
        path.pop_back();
      visit(path, isUnified);
      if (path.empty())
        break;
      size_t slash = path.rfind('/');
      path.resize(slash == std::string::npos ? 0 : slash);
    }
  }
}

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_CONTROLGROUPS_H
