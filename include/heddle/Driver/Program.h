// The runtime as the driver uses it: programs, signatures, calls.

#ifndef HEDDLE_DRIVER_PROGRAM_H
#define HEDDLE_DRIVER_PROGRAM_H

#include "heddle/Driver/Session.h"
#include "heddle/Support/HostTensor.h"
#include "heddle/runtime.h"

#include <memory>

namespace heddle {
struct SizeOptions;
namespace format {
class ArtifactReader;
struct Manifest;
} // namespace format

/// An input or output as the user sees it, and what data made up for it must
/// look like.
struct TensorSignature {
  std::string name;
  mlir::RankedTensorType type;
  /// Integers that are used as indices lie in [least, greatest].
  std::optional<std::pair<int64_t, int64_t>> range = {};
  /// The least sizes that the program takes, where the type has the largest;
  /// empty if there is no choice.
  llvm::SmallVector<int64_t> least = {};
  /// What a call finds there is what another left, zeros at first.
  bool isState = false;
  /// A state with a length, which its shape has.
  bool grows = false;

  /// Whether a call may give a tensor of this type.
  bool takes(mlir::RankedTensorType given) const;
};

/// A loaded artifact and one of its entries.
class Program {
public:
  /// Loads the artifact at `path`; the error has been reported if this returns
  /// null. `entry` "" takes the only one, or main. `customCalls` are all that
  /// the artifact may call. `devices` are kinds of devices by commas, the one
  /// wanted most first; "" takes the best code.
  static std::unique_ptr<Program>
  load(Session &session, llvm::StringRef path, uint32_t flags,
       llvm::StringRef variant, llvm::StringRef entry,
       llvm::ArrayRef<heddle_custom_call> customCalls = {},
       llvm::StringRef devices = {});
  ~Program();

  llvm::ArrayRef<TensorSignature> inputs() const { return inputList; }
  llvm::ArrayRef<TensorSignature> outputs() const { return outputList; }
  /// What its calls keep.
  llvm::ArrayRef<TensorSignature> states() const { return stateList; }
  /// The inputs, and behind them the states: all that data may be given for.
  llvm::SmallVector<TensorSignature> feeds() const;
  heddle_load_report report() const;
  /// Arithmetic operations and bytes of one call, by the plan; 0 if unknown.
  int64_t operations() const { return operationCount; }
  int64_t traffic() const { return trafficBytes; }
  /// What calls need of the process's memory, by the sizes that they have.
  size_t arenaBytes(unsigned threads) const;
  /// Of all states.
  uint64_t stateBytes() const;

  /// Makes a context and the states that calls use; 0 threads is the default
  /// number. Of a partitioned program, ranks of an engine of the runtime's; ""
  /// is threads; or those of a group, unless it is null.
  bool prepare(unsigned threads, const std::string &engine = {},
               heddle_group *group = nullptr);
  /// Is a rank of a group that its first process calls, until it calls no more.
  bool serve(unsigned threads, heddle_group *group);
  unsigned threads() const;
  /// How many devices the program was partitioned for: as many ranks run it
  /// together, on whole tensors. 1 for one that was not.
  unsigned rankCount() const;
  bool isPartitioned() const;
  /// Allocates the outputs, to be used for any number of calls.
  llvm::SmallVector<HostTensor>
  makeOutputs(llvm::ArrayRef<HostTensor> inputs) const;
  /// Sizes that each call chooses, by name: those that data is made up for, at
  /// first the largest.
  llvm::ArrayRef<std::pair<std::string, int64_t>> sizes() const {
    return sizeList;
  }
  /// Whether a size of this name is among them.
  bool hasSize(llvm::StringRef name) const {
    return findSize(name).has_value();
  }
  /// Sets sizes as `--dim NAME=3` and `--shape NAME=3x4` say; ranges are passed
  /// over, and so is what was for the import of a model: names that are none of
  /// this program's sizes or inputs. False after an error, which has been
  /// reported.
  bool setSizes(const ModelOptions &model);
  /// Whether they say a size, before any is set.
  bool areSizesSaid(const ModelOptions &model) const;
  /// Sets all sizes, in the order of `sizes()`; false after an error, which has
  /// been reported.
  bool setSizes(llvm::ArrayRef<int64_t> sizes);
  /// Sets those that `tensors`, data for `feeds`, tell, where there are any;
  /// false after an error, which has been reported.
  bool setSizesOf(llvm::ArrayRef<HostTensor> tensors);
  /// The least sizes, and what each size is a multiple of, in that order.
  llvm::ArrayRef<int64_t> leastSizes() const { return leastSizeList; }
  llvm::ArrayRef<int64_t> sizeMultiples() const { return multipleList; }
  /// What a call of these sizes finds of number `state` of `states`.
  llvm::ArrayRef<int64_t> partOfState(size_t state) const {
    return keptStates[state].part;
  }
  /// Whether a size has this name that the program computes: in `sizes()` it is
  /// the largest.
  bool computesSize(llvm::StringRef name) const;
  /// What the entry takes for granted and these sizes, in that order, break, as
  /// "batch = 8"; empty if there is nothing, or after an error, which has been
  /// reported.
  std::string brokenAssumption(llvm::ArrayRef<int64_t> sizes);
  /// Puts into the states what `tensors`, data for `feeds`, have for them, and
  /// leaves the inputs there; false after an error, which has been reported.
  bool fillStates(llvm::SmallVectorImpl<HostTensor> &tensors);
  /// Gives the states the lengths that they were filled with, so that the next
  /// call does what the last one did; false after an error, which has been
  /// reported.
  bool rewindStates();
  /// What is in them, up to their lengths; none after an error, which has been
  /// reported.
  std::optional<llvm::SmallVector<HostTensor>> readStates();
  /// One call; false after an error, which has been reported.
  bool call(llvm::ArrayRef<HostTensor> inputs,
            llvm::MutableArrayRef<HostTensor> outputs,
            const heddle_call_options *options = nullptr);
  /// Leaves of the outputs of the last call what is true of them, where the
  /// program computes sizes.
  void cutOutputs(llvm::MutableArrayRef<HostTensor> outputs) const;

private:
  /// A state of the entry.
  struct KeptState {
    size_t number = 0; ///< Among the program's.
    mlir::RankedTensorType memory;
    int dimension = -1; ///< That its length counts; -1: it has none.
    size_t symbol = 0;  ///< The size that is its length when a call starts.
    int64_t start = 0;  ///< The length that it was filled with.
    llvm::SmallVector<int64_t> part; ///< The shape that a call finds of it.
  };

  explicit Program(Session &session) : session(session) {}
  bool check(const heddle_status &status);
  bool readSignature(llvm::StringRef path);
  bool readStateSignatures();
  /// False after an error, which has been reported.
  bool readLengths(const format::Manifest &manifest);
  /// Gives the states that grow the types that follow from the sizes.
  void setLengths();
  /// Sets what calls find of states; `values` are those of the manifest's
  /// expressions for the sizes.
  void setParts(const format::Manifest &manifest,
                llvm::ArrayRef<int64_t> values);
  bool makeStates();
  /// Calls `transfer` for each part of a tensor of `type` that is one in the
  /// state, too.
  bool
  forEachPart(const KeptState &state, mlir::RankedTensorType type,
              llvm::function_ref<heddle_status(size_t inState, size_t inTensor,
                                               size_t bytes)>
                  transfer);
  /// Reports the error, and returns false.
  bool refuse(ErrorCode code, const llvm::Twine &message);
  /// False after an error, which has been reported.
  bool openManifest(format::ArtifactReader &artifact);
  /// The number of a size that calls choose.
  std::optional<size_t> findSize(llvm::StringRef name) const;
  /// Calls `tell` for each size that a tensor of `shape`, for one of `feeds`,
  /// tells.
  void
  forEachTold(const format::Manifest &manifest, size_t feed,
              llvm::ArrayRef<int64_t> shape,
              llvm::function_ref<void(size_t symbol, int64_t size)> tell) const;
  /// Of `setSizes`: one --dim, and all of --shape, which are read. `sayers` are
  /// the options that say each size; "": none does.
  bool setDim(llvm::StringRef text, bool isImported,
              std::vector<std::string> &sayers);
  bool readShapes(const ModelOptions &model, bool isImported,
                  SizeOptions &parsed, std::vector<std::string> &sayers);
  /// False, which is reported, if another option says another size.
  bool setSaid(size_t number, int64_t size, const std::string &option,
               std::vector<std::string> &sayers);
  /// Gives inputs and states the types and shapes that follow from the sizes.
  bool applySizes();
  /// With the program's sizes in it.
  heddle_call_options withSizes(const heddle_call_options *options) const;
  /// What a size is where data is made up.
  void setSize(size_t number, int64_t size);

  Session &session;
  heddle_program *program = nullptr;
  heddle_context *context = nullptr;
  heddle_ranks *ranks = nullptr;
  size_t entryIndex = 0;
  llvm::SmallVector<TensorSignature> inputList, outputList, stateList;
  llvm::SmallVector<KeptState> keptStates;
  /// One of each of them.
  llvm::SmallVector<heddle_state *> madeStates;
  std::vector<std::pair<std::string, int64_t>> sizeList;
  std::vector<int64_t> leastSizeList, multipleList;
  std::vector<std::string> computedSizes;
  /// Of those that calls have to give, the sizes that were set; -1: none was.
  std::vector<int64_t> givenSizes;
  /// Of the outputs of the last call.
  std::vector<llvm::SmallVector<int64_t, 4>> finalShapes;
  std::string file;
  int64_t operationCount = 0, trafficBytes = 0;
};

/// Key of the manifest's record that holds the range of an entry's input's
/// made-up integers, as "least..greatest".
std::string rangeRecordKey(llvm::StringRef entry, llvm::StringRef inputName);

/// "f32 6x384".
std::string typeText(mlir::RankedTensorType type);

} // namespace heddle

#endif // HEDDLE_DRIVER_PROGRAM_H
