// The size dialect: sizes that calls choose, as attributes.

#ifndef HEDDLE_DIALECTS_SIZE_SIZEATTRIBUTES_TD
#define HEDDLE_DIALECTS_SIZE_SIZEATTRIBUTES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/TensorEncoding.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Size_Dialect : Dialect {
  let name = "size";
  let cppNamespace = "::heddle::size";
  let summary = "sizes that each call chooses";
  let description = [{
    A tensor's type has the shape of the bound. Where an extent depends on
    sizes that calls choose, the type's encoding says how, in expressions over
    named symbols:

    ```mlir
    tensor<8x384x768xf32, #size.extents<batch, sequence, 768>>
    ```

    Expressions are polynomials with integer coefficients over *atoms*: symbols
    and functions that are not polynomials (`floordiv`, `min`, `is_positive`, `is_zero`). They
    are canonical as they are made: two that are equal as polynomials are one
    attribute, so that equality is that of pointers. What else can be written
    is made of these (Expression.h): remainders, ceiling quotients, maxima,
    comparisons, choices.

    Symbols are integers of 64 bits and not negative. An expression says
    nothing about their ranges: facts that need these are asked of `Ranges`.

    A symbol of which all values are multiples of a number is counted in it, as
    `32 * height:32`: then a half or a quarter of it is a product, and so are
    those of what it is multiplied with.
  }];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
}

class Size_Attr<string name, list<Trait> traits = []> : AttrDef<Size_Dialect, name, traits>;

def Size_Function : I32EnumAttr<"Function", "a function of sizes that is no polynomial", [
    I32EnumAttrCase<"FloorDiv", 0, "floordiv">, I32EnumAttrCase<"Minimum", 1, "min">,
    I32EnumAttrCase<"IsPositive", 2, "is_positive">, I32EnumAttrCase<"IsZero", 3, "is_zero">]> {
  let cppNamespace = "::heddle::size";
}

def Size_SymbolAttr : Size_Attr<"Symbol"> {
  let attrName = "size.symbol";
  let summary = "a size that calls choose, by its name, divided by a unit";
  let description = [{
    Each value of the symbol is a multiple of the unit, which is 1 or more.
  }];
  let parameters = (ins StringRefParameter<>:$name, "int64_t":$unit);
}

def Size_AtomAttr : Size_Attr<"Atom"> {
  let attrName = "size.atom";
  let summary = "a function of expressions, as a factor of others";
  let description = [{
    `floordiv`: lhs / rhs, rounded to minus infinity; rhs is positive.
    `min`: the lesser of lhs and 0. `is_positive`: 1 where lhs > 0, else 0.
    `is_zero`: 1 where lhs is 0, else 0. But for `floordiv`, rhs is 0. `weight`
    is how many factors it has with all within.
  }];
  let parameters = (ins "Function":$function, "ExpressionAttr":$lhs, "ExpressionAttr":$rhs,
                        "unsigned":$weight);
}

def Size_MonomialAttr : Size_Attr<"Monomial"> {
  let attrName = "size.monomial";
  let summary = "a product of symbols and atoms, in their order, powers written out";
  let parameters = (ins ArrayRefParameter<"::mlir::Attribute">:$factors);
}

def Size_ExpressionAttr : Size_Attr<"Expression"> {
  let mnemonic = "expression";
  let summary = "a sum of monomials with coefficients";
  let description = [{
    ```mlir
    #size.expression<batch * sequence + 2 * batch - 1>
    #size.expression<floordiv(width + 1, 2)>
    #size.expression<2 * height:4>
    ```
    `height:4` is `height` counted in units of 4, the half of it 2 of these.
    Coefficients are not zero, monomials in their order, each once; that of no
    factors, the constant, stands last.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$coefficients, ArrayRefParameter<"MonomialAttr">:$monomials);
  let hasCustomAssemblyFormat = 1;
}

def Size_ExtentsAttr : Size_Attr<"Extents", [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "extents";
  let summary = "the true extents of a tensor, as the encoding of its type";
  let description = [{
    One expression for each dimension. The type's own shape is their bound. A
    tensor all of whose extents are known has no such encoding.
  }];
  let parameters = (ins ArrayRefParameter<"ExpressionAttr">:$extents);
  let hasCustomAssemblyFormat = 1;
}

#endif // HEDDLE_DIALECTS_SIZE_SIZEATTRIBUTES_TD
