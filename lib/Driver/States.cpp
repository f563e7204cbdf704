// What a call leaves for the next one is said by its attributes, so that dumps
// carry it, too.

#include "heddle/Driver/States.h"

#include "dialects/Kernel/EntryFunctions.h"
#include "heddle/Driver/Program.h"
#include "heddle/Support/EntrySizes.h"
#include "heddle/Support/EntryStates.h"
#include "heddle/Support/SignatureAttributes.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace heddle;

std::optional<std::vector<StateOption>>
heddle::readStates(Session &session, const ModelOptions &options) {
  std::vector<StateOption> states;
  for (StringRef text : options.states) {
    auto [past, present] = text.split('=');
    if (past.empty() || present.empty()) {
      session.diagnostics.report(ErrorCode::BadCommandLine,
                                 "\"" + text +
                                     "\" is no state: write --state "
                                     "INPUT=OUTPUT");
      return std::nullopt;
    }
    for (const StateOption &other : states)
      if (other.past == past || other.present == present) {
        session.diagnostics.report(ErrorCode::BadCommandLine,
                                   "\"" + text + "\" and \"" + other.past +
                                       "=" + other.present +
                                       "\" name one tensor twice");
        return std::nullopt;
      }
    states.push_back({past.str(), present.str()});
  }
  return states;
}

namespace {
/// Looks for one state in all entries.
class StateMarker {
public:
  StateMarker(Session &session, const StateOption &state)
      : session(session), state(state) {}

  bool visit(func::FuncOp entry, SignatureAttributes &attributes);
  bool finish();

private:
  bool mark(func::FuncOp entry, StringRef what, NamedAttrList &attributes,
            Type type);
  bool fail(ErrorCode code, const Twine &message) {
    session.diagnostics.report(code, message, state.past);
    return false;
  }

  Session &session;
  const StateOption &state;
  RankedTensorType known;
  bool isRead = false, isWritten = false;
};
} // namespace

static bool isCalled(const NamedAttrList &attributes, StringRef name) {
  auto given = dyn_cast_or_null<StringAttr>(attributes.get("heddle.name"));
  return given && given.getValue() == name;
}

bool StateMarker::mark(func::FuncOp entry, StringRef what,
                       NamedAttrList &attributes, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || attributes.get(kShapeAttrName))
    return fail(ErrorCode::OnnxShapeOption,
                what + " has a size that each call chooses; a state has one "
                       "size");
  if (known && tensor != known)
    return fail(ErrorCode::ShapeMismatch,
                what + " is " + typeText(tensor) +
                    ", what is kept in the same state " + typeText(known));
  known = tensor;
  attributes.set(kStateAttrName,
                 StringAttr::get(entry.getContext(), state.past));
  return true;
}

bool StateMarker::visit(func::FuncOp entry, SignatureAttributes &attributes) {
  for (unsigned i = 0; i < entry.getNumArguments(); ++i) {
    if (!isCalled(attributes.argument(i), state.past))
      continue;
    isRead = true;
    if (!mark(entry, "the input", attributes.argument(i),
              entry.getArgumentTypes()[i]))
      return false;
  }
  for (unsigned i = 0; i < entry.getNumResults(); ++i) {
    if (!isCalled(attributes.result(i), state.present))
      continue;
    isWritten = true;
    if (!mark(entry, "the output '" + state.present + "'", attributes.result(i),
              entry.getResultTypes()[i]))
      return false;
  }
  return true;
}

bool StateMarker::finish() {
  if (!isRead)
    return fail(ErrorCode::UnknownName, "there is no input of this name");
  return isWritten ||
         fail(ErrorCode::UnknownName,
              "there is no output '" + state.present + "' to keep in it");
}

bool heddle::markStates(Session &session, ModuleOp module,
                        const std::vector<StateOption> &states) {
  std::vector<StateMarker> markers;
  for (const StateOption &state : states)
    markers.emplace_back(session, state);
  for (func::FuncOp entry : kernel::entryFunctions(module)) {
    SignatureAttributes attributes(entry);
    for (StateMarker &marker : markers)
      if (!marker.visit(entry, attributes))
        return false;
    attributes.store();
  }
  return llvm::all_of(markers,
                      [](StateMarker &marker) { return marker.finish(); });
}
