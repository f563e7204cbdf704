// Where what a user may report lies: programs that heddle failed on, and what
// was known about a crash.

#ifndef HEDDLE_DRIVER_REPORTS_H
#define HEDDLE_DRIVER_REPORTS_H

namespace heddle {

/// So many files of a kind are kept; the next one replaces the oldest.
constexpr unsigned kMaxReports = 8;

/// The path of a report. It holds no character that a JSON string or a shell
/// would take for another.
struct ReportPath {
  char text[256];
};

/// Chooses the folder, which is made when there is something to put there:
/// `heddle-reports-USER` in the temporary folder, by $TMPDIR, else /tmp. Before
/// the first `openReport`.
void prepareReports();

/// Makes an empty file `STEM-NUMBER EXTENSION` in the folder of reports, in the
/// place of the oldest if there are `kMaxReports`; a file of the same stem that
/// ends in `.weights` goes with it. Its descriptor, or -1: then there is none,
/// because the folder cannot be made or is another user's. Safe in a signal
/// handler.
int openReport(const char *stem, const char *extension, ReportPath &path);

} // namespace heddle

#endif // HEDDLE_DRIVER_REPORTS_H
