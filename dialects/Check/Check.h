// The dialects of programs that check themselves: `check`, and `interpreter`.

#ifndef HEDDLE_DIALECTS_CHECK_CHECK_H
#define HEDDLE_DIALECTS_CHECK_CHECK_H

#include "dialects/StableHlo/StableHlo.h"

#include "dialects/Check/CheckDialect.h.inc"
#include "dialects/Check/InterpreterDialect.h.inc"

#define GET_OP_CLASSES
#include "dialects/Check/CheckOps.h.inc"

#define GET_OP_CLASSES
#include "dialects/Check/InterpreterOps.h.inc"

#endif // HEDDLE_DIALECTS_CHECK_CHECK_H
