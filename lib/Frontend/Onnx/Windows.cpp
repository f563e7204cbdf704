// Window attributes of convolutions and pools: padding, strides, dilations.

#include "Windows.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

/// Sizes that no real model has and that would overflow the arithmetic below.
static constexpr int64_t kMaxWindow = int64_t(1) << 30;

static bool inRange(Extents values, int64_t least) {
  return llvm::all_of(values, [=](int64_t value) {
    return value >= least && value <= kMaxWindow;
  });
}

/// The attributes as they are written, padding aside. Nothing after a fault.
static std::optional<Window> readGeometry(NodeImporter &node, Extents kernel) {
  size_t spatial = node.rank(0) - 2;
  Window window;
  window.size =
      node.integersAttribute("kernel_shape").value_or(OwnedExtents(kernel));
  window.strides =
      node.integersAttribute("strides").value_or(OwnedExtents(spatial, 1));
  window.dilations =
      node.integersAttribute("dilations").value_or(OwnedExtents(spatial, 1));
  if (window.size.size() != spatial || window.strides.size() != spatial ||
      window.dilations.size() != spatial || !inRange(window.size, 1) ||
      !inRange(window.strides, 1) || !inRange(window.dilations, 1) ||
      !inRange(node.shape(0).after(2).bounds(), 0) ||
      (!kernel.empty() && Extents(window.size) != kernel)) {
    (void)node.invalid("kernel_shape, strides or dilations do not fit an input "
                       "of the shape " +
                       spellShape(node.shape(0)));
    return std::nullopt;
  }
  return window;
}

/// The padding at the end with which the last window fits that begins within
/// `extent`, the dimension and what is before it.
static Extent highOfCeiling(const Extent &extent, const Extent &high,
                            int64_t span, int64_t stride) {
  Extent room = extent + high - span;
  Extent positions =
      Extent::maximum((room + (stride - 1)).floorDiv(stride) + 1, 0);
  Extent isInside = ((positions - 1) * stride - extent).isNegative();
  Extent last = positions - 2 + isInside;
  return Extent::maximum(high, last * stride + span - extent);
}

std::optional<Window> heddle::onnx::readWindow(NodeImporter &node,
                                               Extents kernel, bool ceilMode) {
  if (node.rank(0) < 3) {
    (void)node.invalid("the input has no spatial dimensions");
    return std::nullopt;
  }
  std::optional<Window> window = readGeometry(node, kernel);
  StringRef automatic = node.stringAttribute("auto_pad", "NOTSET");
  std::optional<OwnedExtents> pads = node.integersAttribute("pads");
  if (!window)
    return std::nullopt;
  size_t spatial = window->size.size();
  if (pads && (pads->size() != 2 * spatial || !inRange(*pads, 0))) {
    (void)node.invalid("pads = [" + spellShape(*pads) + "] do not fit " +
                       Twine(spatial) + " spatial dimensions");
    return std::nullopt;
  }
  bool upper = automatic == "SAME_UPPER", lower = automatic == "SAME_LOWER";
  if (!upper && !lower && automatic != "VALID" && automatic != "NOTSET") {
    (void)node.invalid("auto_pad = '" + automatic + "' is unknown");
    return std::nullopt;
  }
  for (size_t i = 0; i < spatial; ++i) {
    Extent extent = node.shape(0)[2 + i], low = 0, high = 0;
    int64_t stride = window->strides[i];
    int64_t span = (window->size[i] - 1) * window->dilations[i] + 1;
    if (upper || lower) {
      Extent positions = extent.ceilDiv(stride);
      Extent total =
          Extent::maximum((positions - 1) * stride + span - extent, 0);
      Extent half = total.floorDiv(2);
      low = upper ? half : total - half;
      high = total - low;
    } else if (automatic == "NOTSET" && pads) {
      low = (*pads)[i];
      high = (*pads)[spatial + i];
    }
    if (ceilMode && !upper && !lower)
      high = highOfCeiling(extent + low, high, span, stride);
    window->padLow.push_back(low);
    window->padHigh.push_back(high);
  }
  return window;
}

std::optional<Window> heddle::onnx::readTransposedWindow(NodeImporter &node,
                                                         Extents kernel) {
  if (node.rank(0) < 3) {
    (void)node.invalid("the input has no spatial dimensions");
    return std::nullopt;
  }
  std::optional<Window> window = readGeometry(node, kernel);
  size_t spatial = node.rank(0) - 2;
  StringRef automatic = node.stringAttribute("auto_pad", "NOTSET");
  OwnedExtents pads =
      node.integersAttribute("pads").value_or(OwnedExtents(2 * spatial, 0));
  OwnedExtents extra = node.integersAttribute("output_padding")
                           .value_or(OwnedExtents(spatial, 0));
  std::optional<OwnedExtents> shape = node.integersAttribute("output_shape");
  if (!window)
    return std::nullopt;
  if (pads.size() != 2 * spatial || extra.size() != spatial ||
      !inRange(pads, 0) || !inRange(extra, 0) ||
      (shape && (shape->size() != spatial || !inRange(*shape, 1)))) {
    (void)node.invalid("pads, output_padding or output_shape do not fit an "
                       "input of the shape " +
                       spellShape(node.shape(0)));
    return std::nullopt;
  }
  bool same = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";
  for (size_t i = 0; i < spatial; ++i) {
    int64_t stride = window->strides[i];
    int64_t span = (window->size[i] - 1) * window->dilations[i] + 1;
    int64_t low = pads[i], high = pads[spatial + i];
    if (automatic == "VALID")
      low = high = 0;
    if (shape || same) {
      Extent extent = node.shape(0)[2 + i];
      Extent wanted = shape ? Extent((*shape)[i]) : extent * stride;
      Extent cut = (extent - 1) * stride + extra[i] + span - wanted;
      if (!cut.isKnown())
        (void)node.knownShape(0);
      int64_t total = cut.bound();
      // An odd one is cut at the start, or with SAME_UPPER at the end; a
      // negative total widens the result.
      int64_t half = llvm::divideFloorSigned(total, 2);
      low = automatic == "SAME_UPPER" ? half : total - half;
      high = total - low;
    }
    window->padLow.push_back(span - 1 - low);
    window->padHigh.push_back(span - 1 - high + extra[i]);
  }
  return window;
}
