// How heddle starts the programs that help it: with what a host may have
// changed of its process put right.

#ifndef HEDDLE_SUPPORT_SPAWNSETTINGS_H
#define HEDDLE_SUPPORT_SPAWNSETTINGS_H

#include <csignal>
#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

namespace heddle {

/// What posix_spawn is told: standard streams of the program's own, nothing
/// else open, and signals as if the host had changed none.
class SpawnSettings {
public:
  /// `input` becomes the program's standard input; what it prints is added to
  /// the file at `printed`, which is there.
  explicit SpawnSettings(int input, const char *printed = "/dev/null") {
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    for (int stream : {STDOUT_FILENO, STDERR_FILENO})
      posix_spawn_file_actions_addopen(&actions, stream, printed,
                                       O_WRONLY | O_APPEND, 0);
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    posix_spawnattr_init(&attributes);
    sigset_t signals;
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes, &signals);
    // A group of its own: what a terminal sends to the host's is not for it.
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF |
                                              POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETPGROUP);
  }
  SpawnSettings(const SpawnSettings &) = delete;
  SpawnSettings &operator=(const SpawnSettings &) = delete;
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

} // namespace heddle

#endif // HEDDLE_SUPPORT_SPAWNSETTINGS_H
