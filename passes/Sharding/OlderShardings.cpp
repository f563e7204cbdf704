// Reads XLA's lists of devices, and finds the axes of a mesh that they go
// along.

#include "passes/Sharding/OlderShardings.h"

#include "runtime/format/Limits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <numeric>

using namespace mlir;

namespace heddle {

bool hasOlderShardings(ModuleOp module) {
  WalkResult walked = module.walk([](Operation *op) {
    bool isFound = false;
    op->getAttrDictionary().walk([&](DictionaryAttr attributes) {
      isFound |= attributes.contains(kOlderShardingAttr);
    });
    return isFound ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walked.wasInterrupted();
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Numbers between commas up to `close`, which is taken, too.
static bool takeNumbers(StringRef &text, char close,
                        SmallVectorImpl<int64_t> &numbers) {
  while (true) {
    int64_t number;
    if (text.consumeInteger(10, number) || number < 0)
      return false;
    numbers.push_back(number);
    if (text.consume_front(StringRef(&close, 1)))
      return true;
    if (!text.consume_front(","))
      return false;
  }
}

/// The product of sizes; none beyond the number of devices that a program can
/// be for.
static std::optional<int64_t> productOf(ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes)
    if (size < 1 || llvm::MulOverflow(product, size, product) ||
        product > int64_t(format::maximumRanks))
      return std::nullopt;
  return product;
}

/// The devices of `<=[4,2]T(1,0)`: 0, 1, ... in that shape, transposed.
static bool takeOrder(StringRef &text, int64_t count,
                      SmallVectorImpl<int64_t> &devices) {
  SmallVector<int64_t> shape, order;
  if (!text.consume_front("[") || !takeNumbers(text, ']', shape) ||
      productOf(shape) != count)
    return false;
  if (text.consume_front("T(")) {
    if (!takeNumbers(text, ')', order))
      return false;
  } else {
    order.resize(shape.size());
    std::iota(order.begin(), order.end(), 0);
  }
  SmallVector<int64_t> sorted(order);
  llvm::sort(sorted);
  for (auto [i, dimension] : llvm::enumerate(sorted))
    if (dimension != int64_t(i))
      return false;
  if (order.size() != shape.size())
    return false;
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[i];
  for (int64_t place = 0; place < count; ++place) {
    int64_t rest = place, device = 0;
    for (int64_t dimension : llvm::reverse(order)) {
      device += rest % shape[dimension] * strides[dimension];
      rest /= shape[dimension];
    }
    devices.push_back(device);
  }
  return true;
}

/// The devices of `0,2,1,3`: each once.
static bool takeList(StringRef &text, int64_t count,
                     SmallVectorImpl<int64_t> &devices) {
  SmallVector<bool> seen(count, false);
  while (int64_t(devices.size()) < count) {
    int64_t device;
    if ((!devices.empty() && !text.consume_front(",")) ||
        text.consumeInteger(10, device) || device < 0 || device >= count ||
        seen[device])
      return false;
    seen[device] = true;
    devices.push_back(device);
  }
  return true;
}

/// What stands behind the devices; false for what cannot be said in sdy.
static bool takeSubgroups(StringRef text, OlderSharding &sharding,
                          std::string &problem) {
  text = text.trim();
  if (text.empty())
    return true;
  if (text == "last_tile_dim_replicate") {
    sharding.subgroups = 1;
    return true;
  }
  if (!text.consume_front("last_tile_dims={") || !text.consume_back("}")) {
    problem = "\"" + text.str() + "\" is not known";
    return false;
  }
  SmallVector<StringRef> kinds;
  text.split(kinds, ',');
  for (StringRef kind : kinds)
    if (kind.trim() != "replicated") {
      problem = "parts that are " + kind.trim().str() +
                " along some axes only are not read";
      return false;
    }
  sharding.subgroups = kinds.size();
  return true;
}

std::optional<OlderSharding> parseOlderSharding(StringRef text,
                                                std::string &problem) {
  OlderSharding sharding;
  problem = "it is none of {replicated}, {manual} and {devices=[...]...}";
  if (!text.consume_front("{") || !text.consume_back("}"))
    return std::nullopt;
  // Where in a model the sharding comes from.
  text = text.take_front(text.find(" metadata={")).trim();
  if (text == "replicated")
    return sharding;
  if (text == "manual") {
    sharding.kind = OlderSharding::Kind::Manual;
    return sharding;
  }
  if (text.starts_with("maximal")) {
    problem = "it is one device of several; such values are not partitioned "
              "yet";
    return std::nullopt;
  }
  if (!text.consume_front("devices=["))
    return std::nullopt;
  problem = "its devices are not those of its tiles";
  sharding.kind = OlderSharding::Kind::Tiled;
  if (!takeNumbers(text, ']', sharding.tiles))
    return std::nullopt;
  std::optional<int64_t> count = productOf(sharding.tiles);
  if (!count)
    return std::nullopt;
  bool isKnown = text.consume_front("<=")
                     ? takeOrder(text, *count, sharding.devices)
                     : takeList(text, *count, sharding.devices);
  if (!isKnown || !takeSubgroups(text, sharding, problem))
    return std::nullopt;
  if (sharding.subgroups > sharding.tiles.size()) {
    problem = "it has fewer tiles than subgroups";
    return std::nullopt;
  }
  return sharding;
}

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

namespace {
/// Steps of equal distance along the numbers of devices.
struct Digit {
  int64_t count, stride;
};
} // namespace

/// The devices along one dimension, from the first tile, as digits from the
/// minor to the major one; none where they are no such numbers.
static std::optional<SmallVector<Digit>> digitsOf(ArrayRef<int64_t> devices) {
  SmallVector<Digit> digits;
  int64_t size = devices.size(), known = 1;
  while (known < size) {
    int64_t stride = devices[known], count = 2;
    if (stride < 1)
      return std::nullopt;
    auto goesOn = [&](int64_t steps) {
      return steps * known < size && devices[steps * known] == steps * stride;
    };
    while (goesOn(count))
      ++count;
    while (size % (count * known) != 0 && count > 1)
      --count;
    if (count < 2)
      return std::nullopt;
    digits.push_back({count, stride});
    known *= count;
  }
  for (int64_t place = 0; place < size; ++place) {
    int64_t rest = place, device = 0;
    for (Digit digit : digits) {
      device += rest % digit.count * digit.stride;
      rest /= digit.count;
    }
    if (device != devices[place])
      return std::nullopt;
  }
  return digits;
}

/// Adds the parts of axes that a digit goes along, from the minor one; false
/// where it ends within a part.
static bool addAxes(Digit digit, sdy::MeshAttr mesh,
                    SmallVectorImpl<sdy::AxisRefAttr> &axes) {
  int64_t begin = digit.stride, end = digit.stride * digit.count, covered = 1,
          stride = 1;
  for (sdy::MeshAxisAttr axis : llvm::reverse(mesh.getAxes())) {
    int64_t first = std::max(begin, stride),
            last = std::min(end, stride * axis.getSize());
    if (first < last) {
      if (first % stride != 0 || last % first != 0 ||
          stride * axis.getSize() % last != 0)
        return false;
      axes.push_back(sdy::AxisRefAttr::part(
          axis.getName(), stride * axis.getSize() / last, last / first, mesh));
      covered *= last / first;
    }
    stride *= axis.getSize();
  }
  return covered == digit.count;
}

/// The axes of each dimension of tiles, from the major one.
static std::optional<SmallVector<SmallVector<sdy::AxisRefAttr>>>
axesOf(const OlderSharding &sharding, sdy::MeshAttr mesh) {
  SmallVector<SmallVector<sdy::AxisRefAttr>> lists;
  SmallVector<SmallVector<int64_t>> along;
  int64_t step = sharding.devices.size();
  for (int64_t size : sharding.tiles) {
    step /= size;
    SmallVector<int64_t> devices;
    for (int64_t i = 0; i < size; ++i)
      devices.push_back(sharding.devices[i * step]);
    auto digits = digitsOf(devices);
    SmallVector<sdy::AxisRefAttr> minorFirst, axes;
    if (!digits || !llvm::all_of(*digits, [&](Digit digit) {
          return addAxes(digit, mesh, minorFirst);
        }))
      return std::nullopt;
    for (sdy::AxisRefAttr axis : llvm::reverse(minorFirst))
      if (!axes.empty() && axes.back().canMerge(axis, mesh))
        axes.back() = axes.back().merge(axis, mesh);
      else
        axes.push_back(axis);
    lists.push_back(std::move(axes));
    along.push_back(std::move(devices));
  }
  // Dimensions must not depend on each other.
  for (auto [place, device] : llvm::enumerate(sharding.devices)) {
    int64_t rest = place, sum = 0;
    for (const auto &devices : llvm::reverse(along)) {
      sum += devices[rest % devices.size()];
      rest /= devices.size();
    }
    if (sum != device)
      return std::nullopt;
  }
  return lists;
}

sdy::TensorShardingAttr translate(const OlderSharding &sharding, int64_t rank,
                                  sdy::MeshOp op, std::string &problem) {
  MLIRContext *context = op.getContext();
  auto name = FlatSymbolRefAttr::get(op.getSymNameAttr());
  auto whole = sdy::TensorShardingAttr::fullyClosed(context, rank, name);
  if (sharding.kind != OlderSharding::Kind::Tiled)
    return whole;
  sdy::MeshAttr mesh = op.getMesh();
  int64_t devices = sharding.devices.size(), count = mesh.deviceCount(),
          cut = sharding.tiles.size() - sharding.subgroups;
  if (devices != count) {
    problem = "it is for " + std::to_string(devices) +
              " devices, the mesh has " + std::to_string(count);
    return {};
  }
  if (cut != rank) {
    problem = "it cuts " + std::to_string(cut) + " dimensions of " +
              std::to_string(rank);
    return {};
  }
  auto axes = axesOf(sharding, mesh);
  if (!axes || !mesh.getDeviceIds().empty()) {
    problem = "its tiles do not go along axes of the mesh: name others by "
              "--mesh, or others first";
    return {};
  }
  SmallVector<sdy::DimensionShardingAttr> dimensions;
  for (int64_t i = 0; i < rank; ++i)
    dimensions.push_back(
        sdy::DimensionShardingAttr::closed(context, (*axes)[i]));
  return whole.withDimensions(dimensions);
}

} // namespace heddle
