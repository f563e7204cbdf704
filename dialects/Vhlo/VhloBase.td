// VHLO: the versioned form in which StableHLO programs are stored.

#ifndef HEDDLE_VHLO_BASE
#define HEDDLE_VHLO_BASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/DialectBase.td"

def VhloDialect : Dialect {
  let name = "vhlo";
  let cppNamespace = "::heddle::vhlo";
  let summary = "StableHLO of every released version, as portable artifacts hold it";
  let description = [{
    `vhlo.<name>_v<revision>` is a revision of an operation. Operations come from a table (OpTable.cpp): a name, the
    versions of its revisions and its attributes. What is read has builtin and stablehlo types and attributes at once, so
    only operations are left to convert; what is to be written has them inside `versioned`, which says that they are
    stored in VHLO's encoding.
  }];
  let useDefaultTypePrinterParser = 0;
  let useDefaultAttributePrinterParser = 0;
  let extraClassDeclaration = [{
    ::mlir::Type parseType(::mlir::DialectAsmParser &parser) const override;
    void printType(::mlir::Type type, ::mlir::DialectAsmPrinter &printer) const override;
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser, ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attribute, ::mlir::DialectAsmPrinter &printer) const override;
  private:
    void registerOperations();
    void registerBytecode();
  public:
  }];
}

def Vhlo_VersionedType : TypeDef<VhloDialect, "Versioned"> {
  let summary = "a type that is stored in VHLO's encoding";
  let typeName = "vhlo.versioned";
  let parameters = (ins "::mlir::Type":$type);
}

def Vhlo_VersionedAttr : AttrDef<VhloDialect, "Versioned"> {
  let summary = "an attribute that is stored in VHLO's encoding, as of this code";
  let attrName = "vhlo.versioned";
  let parameters = (ins "unsigned":$code, "::mlir::Attribute":$value);
}

#endif // HEDDLE_VHLO_BASE
