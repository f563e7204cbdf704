// The CHLO dialect: special functions that StableHLO lacks.

#ifndef HEDDLE_DIALECTS_CHLO_CHLO_H
#define HEDDLE_DIALECTS_CHLO_CHLO_H

#include "dialects/StableHlo/StableHlo.h"

#include "dialects/Chlo/ChloDialect.h.inc"
#include "dialects/Chlo/ChloEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Chlo/ChloAttributes.h.inc"

#define GET_OP_CLASSES
#include "dialects/Chlo/ChloOps.h.inc"

#endif // HEDDLE_DIALECTS_CHLO_CHLO_H
