// heddle compare: options in, exit code out.

#ifndef HEDDLE_TESTING_COMPARECOMMAND_H
#define HEDDLE_TESTING_COMPARECOMMAND_H

#include "heddle/Driver/Options.h"

namespace heddle {

struct CompareCommand {
  CommonOptions common;
  ModelOptions model;
  BuildOptions build;
  FeedOptions feed;
  /// The compiled model; "" compiles.
  std::string artifact;
  /// "reference", "onnxruntime" or a file of expected tensors.
  std::string against = "reference";
  double relativeTolerance = 1e-3;
  double absoluteTolerance = 1e-4;
  /// Interprets the program after every stage on tensors, to find the one that
  /// changed the numbers.
  bool stages = false;
  /// The same after every pass.
  bool bisect = false;
  /// Files that stand in for what stages make, as STAGE=FILE.
  std::vector<std::string> stageFiles;
  /// Finds the first node whose value differs.
  bool layers = false;
  /// Writes the smallest piece that differs to `reduced`; "" is the model's
  /// stem with .reduced.mlir.
  bool reduce = false;
  std::string reduced;
  unsigned threads = 0;
};

int runCompare(const CompareCommand &command);

} // namespace heddle

#endif // HEDDLE_TESTING_COMPARECOMMAND_H
