// Opens standard streams that are closed, and tells what could not be written.

#include "heddle/Support/StandardStreams.h"

#include "llvm/Support/raw_ostream.h"

#include <fcntl.h>
#include <unistd.h>

void heddle::openStandardStreams() {
  for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0)
      // The lowest number that is free: this one. What is printed on a closed
      // standard output is lost, which is an error: it cannot be written.
      (void)open("/dev/null", stream == STDERR_FILENO ? O_WRONLY : O_RDONLY);
}

int heddle::finishOutput(const char *tool, int status) {
  llvm::outs().flush();
  std::error_code problem = llvm::outs().error();
  if (!problem)
    return status;
  // The stream's end would be the process's, by way of a crash.
  llvm::outs().clear_error();
  llvm::errs() << tool
               << ": cannot write to standard output: " << problem.message()
               << "\n";
  return 1;
}
