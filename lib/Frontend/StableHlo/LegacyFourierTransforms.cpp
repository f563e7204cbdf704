// Until 0.4.20, JAX called its own library for Fourier transforms on a CPU.

#include "lib/Frontend/StableHlo/ImportedSizes.h"
#include "lib/Frontend/StableHlo/LegacyCalls.h"

#include "heddle/Support/Diagnostics.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/Endian.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::stablehlo;

namespace {
/// The first operand: a table of FlatBuffers. Number of dimensions, element
/// type and kind, which types say as well, are left out.
class Descriptor {
public:
  explicit Descriptor(const DenseIntElementsAttr &constant) {
    for (const APInt &byte : constant.getValues<APInt>())
      bytes.push_back(static_cast<char>(byte.getZExtValue()));
  }

  /// The transformed dimensions; nothing if the table is damaged.
  std::optional<SmallVector<uint32_t>> axes() const {
    std::optional<uint64_t> at = field(10);
    auto distance = at ? read<uint32_t>(*at) : std::nullopt;
    auto count = distance ? read<uint32_t>(*at + *distance) : std::nullopt;
    if (!count)
      return std::nullopt;
    SmallVector<uint32_t> result;
    while (result.size() < *count) {
      auto axis = read<uint32_t>(*at + *distance + 4 * (1 + result.size()));
      if (!axis)
        return std::nullopt;
      result.push_back(*axis);
    }
    return result;
  }

  bool isForward() const {
    std::optional<uint64_t> at = field(12);
    return at && read<uint8_t>(*at).value_or(0) != 0;
  }

private:
  template <typename T> std::optional<T> read(uint64_t at) const {
    if (at > bytes.size() || bytes.size() - at < sizeof(T))
      return std::nullopt;
    return llvm::support::endian::read<T, llvm::endianness::little>(
        bytes.data() + at);
  }

  /// Where the field is whose distance from the table stands at `place` in the
  /// table's list of fields; nothing if the field has its default.
  std::optional<uint64_t> field(uint64_t place) const {
    auto table = read<uint32_t>(0);
    auto distance = table ? read<int32_t>(*table) : std::nullopt;
    if (!distance)
      return std::nullopt;
    uint64_t list = uint64_t(*table) - int64_t(*distance);
    auto length = read<uint16_t>(list);
    auto offset = length && place + 2 <= *length ? read<uint16_t>(list + place)
                                                 : std::nullopt;
    if (!offset || *offset == 0)
      return std::nullopt;
    return uint64_t(*table) + *offset;
  }

  std::vector<char> bytes;
};
} // namespace

/// The kind of transform, by what it turns into what.
static FftType kindOf(Type from, Type to, bool isForward) {
  if (!isa<ComplexType>(getElementTypeOrSelf(from)))
    return FftType::RFFT;
  if (!isa<ComplexType>(getElementTypeOrSelf(to)))
    return FftType::IRFFT;
  return isForward ? FftType::FFT : FftType::IFFT;
}

/// dynamic_ducc_fft(descriptor, x, shape, strides of x, strides of the result,
/// scale). JAX asks for row-major strides and the scale that the operation has:
/// one over the number of points if the transform is an inverse.
Operation *heddle::createFourierTransform(CustomCallOp op) {
  auto refuse = [&](StringRef why) -> Operation * {
    emitError(op.getLoc(), ErrorCode::CustomCallForm)
        << "custom call '" << op.getCallTargetName() << "' " << why;
    return nullptr;
  };
  if (op->getNumOperands() != 6 || op->getNumResults() != 1)
    return refuse("has other operands and results than JAX gives it");
  auto from = dyn_cast<RankedTensorType>(op.getOperand(1).getType());
  auto to = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  DenseIntElementsAttr constant;
  if (!from || !to || !from.hasStaticShape() || !to.hasStaticShape() ||
      !matchPattern(op.getOperand(0), m_Constant(&constant)) ||
      !constant.getElementType().isInteger(8))
    return refuse("needs tensors of known shape and a constant descriptor");
  Descriptor descriptor(constant);
  std::optional<SmallVector<uint32_t>> axes = descriptor.axes();
  if (!axes)
    return refuse("has a damaged descriptor");
  // Lengths are counted on the side that is real.
  FftType kind = kindOf(from, to, descriptor.isForward());
  ArrayRef<int64_t> points =
      kind == FftType::IRFFT ? to.getShape() : from.getShape();
  uint64_t rank = points.size(), count = axes->size();
  if (count == 0 || count > rank)
    return refuse("transforms other dimensions than the last");
  for (uint64_t i = 0; i < count; ++i)
    if ((*axes)[i] != rank - count + i)
      return refuse("transforms other dimensions than the last");
  OpBuilder builder(op);
  auto transform = FftOp::create(builder, op.getLoc(), to, op.getOperand(1),
                                 kind, points.take_back(count));
  SmallVector<size::Expression> lengths =
      size::extentsOf(kind == FftType::IRFFT ? to : from);
  setSized(transform, "fft_length", ArrayRef(lengths).take_back(count));
  return transform;
}
