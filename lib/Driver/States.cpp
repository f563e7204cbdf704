// What a call leaves for the next one is said by its attributes, so that dumps
// carry it, too.

#include "heddle/Driver/States.h"

#include "dialects/Kernel/EntryFunctions.h"
#include "heddle/Driver/Program.h"
#include "heddle/Frontend/GrowingStates.h"
#include "heddle/Support/EntrySizes.h"
#include "heddle/Support/EntryStates.h"
#include "heddle/Support/SignatureAttributes.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace heddle;

std::optional<std::string> StateOption::presentOf(StringRef name) const {
  auto [front, back] = StringRef(past).split('*');
  if (StringRef(past).contains('*')) {
    if (!name.consume_front(front) || !name.consume_back(back))
      return std::nullopt;
    auto [first, last] = StringRef(present).split('*');
    return (first + name + last).str();
  }
  return name == past ? std::optional(present) : std::nullopt;
}

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
    if (past.count('*') != present.count('*') || past.count('*') > 1) {
      session.diagnostics.report(ErrorCode::BadCommandLine,
                                 "\"" + text +
                                     "\" has \"*\" on one side: write it once "
                                     "on both, or not at all");
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
/// One state in all entries.
class StateMarker {
public:
  StateMarker(Session &session, StateOption state)
      : session(session), state(std::move(state)) {}

  /// Looks for it.
  void visit(func::FuncOp entry);
  /// Makes one memory of it, if calls choose its size.
  bool grow();
  /// Marks what was found, of one entry.
  bool mark(func::FuncOp entry, SignatureAttributes &attributes);

private:
  bool mark(const Twine &what, NamedAttrList &attributes, Type type,
            size::ExtentsAttr shape);
  bool fail(ErrorCode code, const Twine &message) {
    session.diagnostics.report(code, message, state.past);
    return false;
  }

  Session &session;
  StateOption state;
  std::vector<StateUse> uses;
  RankedTensorType known;
};
} // namespace

static bool isCalled(DictionaryAttr attributes, StringRef name) {
  auto given =
      attributes ? attributes.getAs<StringAttr>("heddle.name") : StringAttr();
  return given && given.getValue() == name;
}

void StateMarker::visit(func::FuncOp entry) {
  StateUse use{entry, {}, {}};
  for (unsigned i = 0; i < entry.getNumArguments(); ++i)
    if (isCalled(entry.getArgAttrDict(i), state.past))
      use.argument = i;
  for (unsigned i = 0; i < entry.getNumResults(); ++i)
    if (isCalled(entry.getResultAttrDict(i), state.present))
      use.result = i;
  if (use.argument || use.result)
    uses.push_back(use);
}

bool StateMarker::grow() {
  auto reads = [](const StateUse &use) { return use.argument.has_value(); };
  auto writes = [](const StateUse &use) { return use.result.has_value(); };
  if (llvm::none_of(uses, reads))
    return fail(ErrorCode::UnknownName, "there is no input of this name");
  if (llvm::none_of(uses, writes))
    return fail(ErrorCode::UnknownName,
                "there is no output '" + state.present + "' to keep in it");
  if (llvm::none_of(uses, isOpen))
    return true;
  std::optional<StateError> error = growInPlace(uses);
  return !error || fail(error->code, error->message);
}

bool StateMarker::mark(const Twine &what, NamedAttrList &attributes, Type type,
                       size::ExtentsAttr shape) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (known && tensor != known)
    return fail(ErrorCode::ShapeMismatch,
                what + " is " + typeText(tensor) +
                    ", what is kept in the same state " + typeText(known));
  known = tensor;
  attributes.set(kStateAttrName,
                 StringAttr::get(type.getContext(), state.past));
  attributes.erase(kShapeAttrName);
  if (shape)
    attributes.set(kStateShapeAttrName, shape);
  return true;
}

bool StateMarker::mark(func::FuncOp entry, SignatureAttributes &attributes) {
  for (const StateUse &use : uses) {
    if (use.entry != entry)
      continue;
    if (use.argument) {
      NamedAttrList &argument = attributes.argument(*use.argument);
      if (!mark("the input", argument, entry.getArgumentTypes()[*use.argument],
                use.read))
        return false;
      if (use.part)
        argument.set(kStatePartAttrName, use.part);
    }
    if (use.result && !mark("the output '" + state.present + "'",
                            attributes.result(*use.result),
                            entry.getResultTypes()[*use.result], use.left))
      return false;
  }
  return true;
}

/// The states that `options` mean of the inputs of `entries`, one by one: false
/// after an error, which has been reported.
static bool findStates(Session &session, ArrayRef<func::FuncOp> entries,
                       const std::vector<StateOption> &options,
                       std::vector<StateOption> &states) {
  llvm::StringSet<> known;
  for (const StateOption &option : options) {
    // Without a `*` the inputs are searched later.
    if (option.past.find('*') == std::string::npos) {
      states.push_back(option);
      continue;
    }
    bool isMeant = false;
    for (func::FuncOp entry : entries)
      for (unsigned i = 0; i < entry.getNumArguments(); ++i) {
        auto name = entry.getArgAttrOfType<StringAttr>(i, "heddle.name");
        auto present = name ? option.presentOf(name) : std::nullopt;
        isMeant |= present.has_value();
        if (present && known.insert(name.getValue()).second)
          states.push_back({name.str(), *present});
      }
    if (!isMeant) {
      session.diagnostics.report(ErrorCode::UnknownName,
                                 "no input has a name like this", option.past);
      return false;
    }
  }
  return true;
}

bool heddle::markStates(Session &session, ModuleOp module,
                        const std::vector<StateOption> &options) {
  SmallVector<func::FuncOp> entries = kernel::entryFunctions(module);
  std::vector<StateOption> states;
  if (!findStates(session, entries, options, states))
    return false;
  std::vector<StateMarker> markers;
  for (const StateOption &state : states) {
    StateMarker &marker = markers.emplace_back(session, state);
    for (func::FuncOp entry : entries)
      marker.visit(entry);
    if (!marker.grow())
      return false;
  }
  for (func::FuncOp entry : entries) {
    SignatureAttributes attributes(entry);
    for (StateMarker &marker : markers)
      if (!marker.mark(entry, attributes))
        return false;
    attributes.store();
  }
  return true;
}
