// The operations of VHLO as data: what each is called in StableHLO, since when
// its revisions exist, and how each holds its attributes.

#ifndef HEDDLE_DIALECTS_VHLO_OPTABLE_H
#define HEDDLE_DIALECTS_VHLO_OPTABLE_H

#include "dialects/Vhlo/Version.h"

#include "mlir/IR/Attributes.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/ArrayRef.h"

namespace heddle::vhlo {

/// How StableHLO holds what VHLO holds as a plain attribute.
enum class Form : uint8_t {
  Same,
  /// DenseI64ArrayAttr; in VHLO a 1-dimensional tensor.
  Dims,
  /// DenseBoolArrayAttr; in VHLO a 1-dimensional tensor of i1.
  Bools,
  /// UnitAttr; in VHLO a boolean.
  Unit,
  /// FlatSymbolRefAttr; in VHLO a string.
  Symbol,
  /// An array of them.
  Symbols,
  /// An i32; in VHLO an enumeration.
  ApiVersion,
};

/// What stands in VHLO for an attribute that StableHLO leaves out. VHLO leaves
/// out nothing.
enum class Default : uint8_t {
  /// There is none: the attribute is never left out.
  None,
  False,
  Zero,
  ZeroI32,
  MinusOne,
  EmptyString,
  EmptyArray,
  EmptyDictionary,
  /// "" or {}, whichever the interface of the custom call takes.
  BackendConfig,
  EmptyDims,
  /// 1, (0, 0) or false for each dimension of the window.
  Ones,
  ZeroPairs,
  Falses,
  Precisions,
  NoComparisonType,
  NoneType,
  Accuracy,
  OriginalApi,
};

struct AttributeRow {
  llvm::StringLiteral name;
  Form form = Form::Same;
  Default standard = Default::None;
  /// The first revision of the operation that has it, and the last.
  uint8_t firstRevision = 1, lastRevision = 2;

  bool isIn(unsigned revision) const {
    return revision >= firstRevision && revision <= lastRevision;
  }
};

/// An attribute of StableHLO with fields, each of which is an attribute in
/// VHLO. It is left out where all fields have their defaults.
struct StructRow {
  llvm::StringLiteral name;
  llvm::ArrayRef<AttributeRow> fields;
  /// The fields of the attribute, in this order; none if it is of another kind.
  llvm::SmallVector<mlir::Attribute> (*split)(mlir::Attribute);
  /// The attribute with these fields; null if they do not fit.
  mlir::Attribute (*join)(mlir::MLIRContext *, llvm::ArrayRef<mlir::Attribute>);
};

/// What an operation's first revision cannot hold although its attributes
/// could.
enum class Limit : uint8_t { None, OneOperand, NoRegions };

struct OpRow {
  /// Without the dialect's name, which is `func` for three of them.
  llvm::StringLiteral name;
  Version since;
  /// The second revision's version; 0.0.0 if there is none.
  Version second;
  llvm::ArrayRef<AttributeRow> attributes;
  llvm::ArrayRef<const StructRow *> structures = {};
  Limit limit = Limit::None;

  bool hasSecond() const { return second >= kOldest; }
  unsigned revisionIn(Version version) const {
    return hasSecond() && version >= second ? 2 : 1;
  }
};

/// All of them.
llvm::ArrayRef<OpRow> opRows();

/// The row of `stablehlo.<name>` or `func.<name>`; null if VHLO has none.
const OpRow *findOpRow(llvm::StringRef name);

/// The attributes of a revision, those of the structures too, in the order of
/// their names: the order in which they are stored.
llvm::SmallVector<const AttributeRow *> attributesOf(const OpRow &row,
                                                     unsigned revision);

/// What stands for a left out attribute. `window` is the number of dimensions
/// of the operation's window, `typedFfi` whether a custom call takes a
/// dictionary.
mlir::Attribute valueOf(Default standard, mlir::MLIRContext *context,
                        int64_t window, bool typedFfi);

/// Whether StableHLO may leave this out.
bool isDefault(Default standard, mlir::Attribute value);

extern const StructRow kChannelId, kChannel, kDotDimensions, kDotAlgorithm,
    kConvolution, kGather, kScatter;

} // namespace heddle::vhlo

#endif // HEDDLE_DIALECTS_VHLO_OPTABLE_H
