// Inputs of calls that show what rounding does to a program.

#ifndef HEDDLE_DRIVER_PRECISION_CALIBRATIONDATA_H
#define HEDDLE_DRIVER_PRECISION_CALIBRATIONDATA_H

#include "heddle/Driver/Program.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// Samples, each a tensor for every input of a program. A file (.npz,
/// .safetensors), or a folder of NAME.npy, has for each input an array with one
/// dimension more in front: the samples. Of any other folder each file and each
/// folder in it is a sample, by their names in order; these are read when they
/// are wanted.
class CalibrationData {
public:
  /// None after an error, which has been reported.
  static std::optional<CalibrationData>
  open(Session &session, llvm::StringRef path,
       llvm::ArrayRef<TensorSignature> inputs);

  size_t size() const { return sampleCount; }

  /// None after an error, which has been reported.
  std::optional<llvm::SmallVector<HostTensor>> read(Session &session,
                                                    size_t sample) const;

private:
  bool openFolder(Session &session, llvm::StringRef path);
  bool openStacked(Session &session, llvm::StringRef path);

  std::vector<TensorSignature> inputs;
  /// Of samples in files of their own.
  std::vector<std::string> files;
  /// Of samples in one file, in the order of the inputs: [samples, ...].
  std::vector<HostTensor> stacked;
  size_t sampleCount = 0;
};

/// Which samples tell what each product's rounding does, and which are held out
/// to try the program on that follows from it. None is both.
struct SampleSplit {
  std::vector<size_t> calibration, heldOut;
};

/// Takes at most `most` samples for calibration, a quarter of all and no fewer
/// than one, evenly spread.
SampleSplit splitSamples(size_t samples, size_t most);

} // namespace heddle

#endif // HEDDLE_DRIVER_PRECISION_CALIBRATIONDATA_H
