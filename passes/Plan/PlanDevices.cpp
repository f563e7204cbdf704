// Collects the names of devices from places and transfers.

#include "passes/Plan/PlanDevices.h"

#include "dialects/Kernel/Kernel.h"
#include "dialects/Plan/DeviceNames.h"

#include <set>

using namespace mlir;
using namespace heddle;

namespace {
/// The devices that a module names, by kind and number.
class DeviceList {
public:
  LogicalResult add(Operation *op, StringAttr place) {
    if (!place)
      return success();
    std::optional<plan::DeviceName> name = plan::parseDeviceName(place);
    if (!name || name->text() != place.getValue())
      return op->emitError() << place << " is the name of no device";
    if (name->kind != plan::kCpu)
      placed.insert({name->kind.str(), name->ordinal});
    return success();
  }
  /// The cpu, and the others.
  std::vector<std::string> names() const {
    std::vector<std::string> names = {plan::kCpu.str()};
    for (auto &[kind, ordinal] : placed)
      names.push_back(plan::DeviceName{kind, ordinal}.text());
    return names;
  }

private:
  std::set<std::pair<std::string, unsigned>> placed;
};
} // namespace

FailureOr<std::vector<std::string>>
heddle::devicesOf(ModuleOp module, ArrayRef<EntryState> states) {
  DeviceList list;
  WalkResult result = module.walk([&](Operation *op) {
    auto place = op->getAttrOfType<StringAttr>(kernel::kPlaceAttrName);
    if (auto transfer = dyn_cast<kernel::TransferOp>(op))
      place = transfer.getDeviceAttr();
    return failed(list.add(op, place)) ? WalkResult::interrupt()
                                       : WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  for (const EntryState &state : states)
    if (failed(list.add(module, state.place)))
      return failure();
  return list.names();
}
