// The reader of packed layers in .safetensors files, and that of the
// configuration beside them: a text, a zero byte, a file.

#include "heddle/Support/QuantizationConfig.h"
#include "lib/Frontend/Bindings/PackedLayer.h"
#include "test/fuzz/TensorInput.h"

#include <cstdlib>

using namespace heddle;

/// Whether the piece's bytes lie in the file.
static bool liesIn(const Piece &piece, const MappedFile &file) {
  auto type = mlir::RankedTensorType::get(piece.shape, piece.element);
  std::optional<uint64_t> bytes = HostTensor::byteSize(type);
  uint64_t all = file.bytes().size();
  return bytes && piece.offset <= all && *bytes <= all - piece.offset;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef input(reinterpret_cast<const char *>(data), size);
  auto [text, rest] = input.split('\0');
  std::optional<QuantizationConfig> config;
  for (bool isWhole : {false, true}) {
    auto read = parseQuantizationConfig(text, "config.json", isWhole);
    if (!read)
      llvm::consumeError(read.takeError());
    else if (*read)
      config = std::move(*read);
  }
  std::shared_ptr<MappedFile> file =
      fuzz::fileOf(reinterpret_cast<const uint8_t *>(rest.data()), rest.size());
  llvm::Expected<std::vector<NamedTensor>> tensors =
      readSafetensors(fuzz::context(), file);
  if (!tensors) {
    llvm::consumeError(tensors.takeError());
    return 0;
  }
  for (const auto &[name, found] : findPackedLayers(*tensors, config, *file)) {
    if (!found.refusal.empty())
      continue;
    const PackedLayer &layer = found.layer;
    bool isSound = layer.inputs > 0 && layer.outputs > 0 && layer.groups > 0 &&
                   layer.block > 0 && liesIn(layer.numbers, *file) &&
                   liesIn(layer.scales, *file) &&
                   (!layer.zeros || liesIn(*layer.zeros, *file));
    if (!isSound)
      std::abort();
  }
  return 0;
}
