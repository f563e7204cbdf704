"""What operations ask of the values they take."""

from elements import COMPLEX, FLOATS, INTS, LIMIT, NARROW, SMALL_INTS

COMPLEX_OR_NARROW = COMPLEX + NARROW


def exact(value):
    return not value.final


def numeric(value):
    return exact(value) and value.type.element != "i1"


def ordered(value):
    return numeric(value) and value.type.element not in COMPLEX


def ordinary(value):
    """Of a type that every operation takes."""
    return exact(value) and value.type.element in INTS + FLOATS


def fits(element, bound):
    return element not in LIMIT or bound <= LIMIT[element]


def largest(*values):
    """The bound of what is one of the values; None where one is not known."""
    return None if any(v.bound is None for v in values) else max(v.bound for v in values)


def dims(values):
    return "[" + ", ".join(str(int(v)) for v in values) + "]"


def array(values):
    values = list(values)
    return f"array<i64{': ' if values else ''}{', '.join(str(int(v)) for v in values)}>"


def lossy(values, bound):
    """Whether what is one of the values is final because no bound holds for all."""
    return True if bound is None and values[0].type.element in LIMIT else None


def is_int(element):
    return element in INTS or element in SMALL_INTS
