"""Loops, branches, calls, tuples and tokens."""

from elements import INTS, LIMIT
from picks import exact, is_int, largest, ordinary
from program import Type


def while_(p):
    """A fixed number of trips."""
    x = p.pick(lambda v: ordinary(v) and v.type.element in INTS)
    if not x:
        return None
    steps = p.random.choice([0, 1, 5])
    zero, one, last = (p.constant(v, "tensor<i32>") for v in (0, 1, steps))
    step = p.random.choice(["add", "multiply", "xor"])
    return p.emit(f"stablehlo.while(%i = {zero}, %s = {x.name}) : tensor<i32>, {x.type}\n    cond {{\n"
                  f"      %c = stablehlo.compare LT, %i, {last} : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
                  f"      stablehlo.return %c : tensor<i1>\n    }} do {{\n      %n = stablehlo.add %i, {one} : tensor<i32>\n"
                  f"      %t = stablehlo.{step} %s, {x.name} : {x.type}\n      stablehlo.return %n, %t : tensor<i32>, {x.type}\n    }}",
                  Type((), "i32"), x.type)


def while_data(p):
    """How many trips depends on data; a branch inside, and sometimes a loop inside the loop."""
    x = p.pick(lambda v: ordinary(v) and v.type.element in INTS)
    if not x:
        return None
    count = p.input(Type((), "i32"), p.random.choice([0, 1, 2, 3, 7, 100]))
    one, three = p.constant(1, "tensor<i32>"), p.constant(3, "tensor<i32>")
    inner = f"%t = stablehlo.add %s, {x.name} : {x.type}\n"
    if p.random.random() < 0.4:
        inner = (f"%k:2 = stablehlo.while(%j = {one}, %q = %s) : tensor<i32>, {x.type}\n      cond {{\n"
                 f"        %c = stablehlo.compare LT, %j, {three} : (tensor<i32>, tensor<i32>) -> tensor<i1>\n        stablehlo.return %c : tensor<i1>\n"
                 f"      }} do {{\n        %m = stablehlo.add %j, {one} : tensor<i32>\n        %y = stablehlo.xor %q, {x.name} : {x.type}\n"
                 f"        %z = stablehlo.add %y, %s : {x.type}\n        stablehlo.return %m, %z : tensor<i32>, {x.type}\n      }}\n"
                 f"      %t = stablehlo.add %k#1, {x.name} : {x.type}\n")
    elif p.random.random() < 0.5:
        inner = (f'%t = "stablehlo.case"(%r) ({{\n        %y = stablehlo.multiply %s, %s : {x.type}\n        stablehlo.return %y : {x.type}\n      }}, {{\n'
                 f"        %y = stablehlo.subtract %s, {x.name} : {x.type}\n        stablehlo.return %y : {x.type}\n      }}, {{\n"
                 f"        stablehlo.return %s : {x.type}\n      }}) : (tensor<i32>) -> {x.type}\n")
    return p.emit(f"stablehlo.while(%i = {count.name}, %s = {x.name}) : tensor<i32>, {x.type}\n    cond {{\n"
                  f"      %zero = stablehlo.constant dense<0> : tensor<i32>\n"
                  f"      %c = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
                  f"      stablehlo.return %c : tensor<i1>\n    }} do {{\n      %r = stablehlo.remainder %i, {three} : tensor<i32>\n"
                  f"      %d = stablehlo.add %r, {one} : tensor<i32>\n      %n = stablehlo.subtract %i, %d : tensor<i32>\n      {inner}"
                  f"      stablehlo.return %n, %t : tensor<i32>, {x.type}\n    }}", Type((), "i32"), x.type)


def if_(p):
    x = p.pick(exact)
    y = p.pick_or_input(x.type, exact)
    predicate = p.pick_or_input(Type((), "i1"))
    order = ", ".join(map(str, range(x.type.rank)))
    other = f"      stablehlo.return {y.name} : {x.type}\n"
    if p.random.random() < 0.4:
        second = p.pick_or_input(Type((), "i1"))
        other = (f'      %u = "stablehlo.if"({second.name}) ({{\n        stablehlo.return {y.name} : {x.type}\n      }}, {{\n'
                 f"        stablehlo.return {x.name} : {x.type}\n      }}) : (tensor<i1>) -> {x.type}\n      stablehlo.return %u : {x.type}\n")
    return p.emit(f'"stablehlo.if"({predicate.name}) ({{\n      %t = stablehlo.transpose {x.name}, dims = [{order}] : ({x.type}) -> {x.type}\n'
                  f"      stablehlo.return %t : {x.type}\n    }}, {{\n{other}    }}) : (tensor<i1>) -> {x.type}", x.type, bound=largest(x, y))


def case(p):
    x = p.pick(exact)
    values = [x] + [p.pick_or_input(x.type, exact) for _ in range(p.random.choice([0, 1, 2, 3]))]
    index = p.pick_or_input(Type((), "i32"))
    branches = ", ".join(f"{{\n      stablehlo.return {v.name} : {x.type}\n    }}" for v in values)
    return p.emit(f'"stablehlo.case"({index.name}) ({branches}) : (tensor<i32>) -> {x.type}', x.type, bound=largest(*values))


def call(p):
    """A function of the module: called, twice sometimes, or the decomposition of a composite."""
    x = p.pick(lambda v: exact(v) and (v.type.element not in LIMIT or v.bound * 4 <= LIMIT[v.type.element]))
    if not x:
        return None
    t = x.type
    operation = "xor" if t.element == "i1" or (is_int(t.element) and p.random.random() < 0.5) else "add"
    body = f"  %0 = stablehlo.{operation} %a0, %a1 : {t}\n  return %0, %a0 : {t}, {t}"
    name = p.function([t, t], [t, t], body)
    bound = None if x.bound is None else 2 * x.bound
    if p.random.random() < 0.4:
        return p.emit(f'stablehlo.composite "test.{name}" {x.name}, {x.name} {{decomposition = @{name}, version = 1 : i32}} : ({t}, {t}) -> ({t}, {t})',
                      t, t, bound=bound)
    if p.random.random() < 0.5:
        again = p.function([t, t], [t, t], f"  %0:2 = call @{name}(%a0, %a1) : ({t}, {t}) -> ({t}, {t})\n"
                           f"  %1:2 = call @{name}(%0#1, %0#0) : ({t}, {t}) -> ({t}, {t})\n  return %1#0, %1#1 : {t}, {t}")
        name, bound = again, None if x.bound is None else 4 * x.bound
    return p.emit(f"call @{name}({x.name}, {x.name}) : ({t}, {t}) -> ({t}, {t})", t, t, bound=bound)


def tuple_(p):
    x, y = p.pick(), p.pick()
    both = f"tuple<{x.type}, {y.type}>"
    made = p.emit_text(f"stablehlo.tuple {x.name}, {y.name} : {both}")
    return p.emit(f"stablehlo.get_tuple_element {made}[1] : ({both}) -> {y.type}", y.type, like=(y,), bound=y.bound)


def token(p):
    x = p.pick()
    first = p.emit_text("stablehlo.create_token : !stablehlo.token")
    p.emit_text(f"stablehlo.after_all {first}, {first} : !stablehlo.token")
    return p.emit(f"stablehlo.reverse {x.name}, dims = [] : {x.type}", x.type, like=(x,), bound=x.bound)


ALL = [while_, while_data, while_data, if_, case, call, call, tuple_, token]
