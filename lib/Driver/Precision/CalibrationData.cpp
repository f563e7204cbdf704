// Reads samples of inputs from a file or a folder.

#include "CalibrationData.h"

#include "heddle/Driver/Feeds.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace heddle;
namespace fs = llvm::sys::fs;

std::optional<CalibrationData>
CalibrationData::open(Session &session, StringRef path,
                      ArrayRef<TensorSignature> inputs) {
  CalibrationData data;
  data.inputs = inputs.vec();
  bool good = true;
  bool isStacked = true;
  if (fs::is_directory(path)) {
    if (!data.openFolder(session, path))
      return std::nullopt;
    isStacked = llvm::any_of(data.files, [](StringRef file) {
      return llvm::sys::path::extension(file) == ".npy";
    });
  }
  if (isStacked)
    good = data.openStacked(session, path);
  if (!good)
    return std::nullopt;
  // One sample at least tells what rounding does, another tries the program.
  if (data.sampleCount < 2) {
    session.diagnostics.report(
        ErrorCode::BadTensorFile,
        path + " has " + Twine(data.sampleCount) +
            " sample(s) of the inputs; two at least are wanted, one to measure "
            "what rounding does and one held out to try the program on");
    return std::nullopt;
  }
  return data;
}

bool CalibrationData::openFolder(Session &session, StringRef path) {
  std::error_code problem;
  for (fs::directory_iterator entry(path, problem), end;
       entry != end && !problem; entry.increment(problem))
    if (!llvm::sys::path::filename(entry->path()).starts_with("."))
      files.push_back(entry->path());
  if (problem) {
    session.diagnostics.report(ErrorCode::FileUnreadable,
                               path + ": " + problem.message());
    return false;
  }
  llvm::sort(files);
  sampleCount = files.size();
  return true;
}

bool CalibrationData::openStacked(Session &session, StringRef path) {
  files.clear();
  auto read = readTensors(session, path);
  if (!read)
    return false;
  auto refuse = [&](const Twine &what, StringRef name) {
    session.diagnostics.report(ErrorCode::WrongTensor, what, name);
    return false;
  };
  for (const auto &[name, tensor] : *read)
    if (!findTensor(inputs, name))
      return refuse(path + " has samples of '" + name +
                        "', which is no input of the model",
                    name);
  for (const TensorSignature &input : inputs) {
    auto found = llvm::find_if(
        *read, [&](const auto &entry) { return entry.first == input.name; });
    if (found == read->end())
      return refuse(path + " has no samples of the input", input.name);
    RankedTensorType type = found->second.type();
    if (type.getRank() == 0 ||
        !input.takes(RankedTensorType::get(type.getShape().drop_front(),
                                           type.getElementType())))
      return refuse("the input is " + typeText(input.type) +
                        ", so that samples of it are that with one dimension "
                        "more in front; in " +
                        path + " they are " + typeText(type),
                    input.name);
    size_t samples = type.getDimSize(0);
    if (!stacked.empty() && samples != sampleCount)
      return refuse(path + " has " + Twine(samples) +
                        " samples of the input, and " + Twine(sampleCount) +
                        " of '" + inputs.front().name + "'",
                    input.name);
    sampleCount = samples;
    stacked.push_back(found->second);
  }
  return true;
}

std::optional<SmallVector<HostTensor>>
CalibrationData::read(Session &session, size_t sample) const {
  if (files.empty()) {
    SmallVector<HostTensor> tensors;
    for (const HostTensor &all : stacked) {
      auto type = RankedTensorType::get(all.shape().drop_front(),
                                        all.type().getElementType());
      HostTensor one = HostTensor::allocate(type);
      size_t bytes = one.bytes().size();
      llvm::copy(all.bytes().slice(sample * bytes, bytes),
                 one.mutableBytes().begin());
      tensors.push_back(std::move(one));
    }
    return tensors;
  }
  FeedOptions feed;
  feed.collections = {files[sample]};
  std::vector<std::string> madeUp;
  auto tensors = gatherFeeds(session, inputs, feed, madeUp);
  if (!tensors || madeUp.empty())
    return tensors;
  session.diagnostics.report(ErrorCode::WrongTensor,
                             files[sample] + " lacks an input: " +
                                 StringRef(madeUp.front()).split(" = ").first +
                                 " is wanted");
  return std::nullopt;
}

SampleSplit heddle::splitSamples(size_t samples, size_t most) {
  size_t count = std::max<size_t>(1, std::min(most, samples / 4));
  SampleSplit split;
  for (size_t i = 0; i < count; ++i)
    split.calibration.push_back(i * samples / count);
  for (size_t i = 0; i < samples; ++i)
    if (!llvm::is_contained(split.calibration, i))
      split.heldOut.push_back(i);
  return split;
}
