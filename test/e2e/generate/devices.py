"""Operations between processes, of which there is one."""

from combiners import combiner
from elements import LIMIT, NARROW, SMALL_INTS
from picks import exact
from program import Type

GROUP = "replica_groups = dense<0> : tensor<1x1xi64>"


def number(p):
    return p.emit(f"stablehlo.{p.random.choice(['replica_id', 'partition_id'])} : tensor<ui32>", Type((), "ui32"))


def collective(p):
    x = p.pick(lambda v: exact(v) and v.type.rank > 0 and v.type.size > 0 and v.type.element not in NARROW + SMALL_INTS)
    if not x:
        return None
    d = p.random.randrange(x.type.rank)
    kind = p.random.choice(["all_reduce", "reduce_scatter", "all_gather", "all_to_all", "collective_permute", "collective_broadcast",
                            "collective_reduce"])
    attributes = {"all_reduce": GROUP, "collective_reduce": GROUP, "reduce_scatter": f"scatter_dimension = {d} : i64, {GROUP}",
                  "all_gather": f"all_gather_dim = {d} : i64, {GROUP}",
                  "all_to_all": f"split_dimension = {d} : i64, concat_dimension = {d} : i64, split_count = 1 : i64, {GROUP}",
                  "collective_permute": "source_target_pairs = dense<0> : tensor<1x2xi64>", "collective_broadcast": GROUP}[kind]
    region = f" {combiner(p, x.type.element, plain=True)[1]}" if "reduce" in kind else ""
    # jaxlib's CPU compiler lacks two of them; of one process they are what they take.
    lacking = f"stablehlo.reverse {x.name}, dims = [] : {x.type}" if kind in ("collective_broadcast", "collective_reduce") else None
    return p.emit(f'"stablehlo.{kind}"({x.name}){region} {{{attributes}}} : ({x.type}) -> {x.type}', x.type, bound=x.bound, oracle=lacking)


def asynchronous(p):
    x = p.pick(lambda v: exact(v) and v.type.element in LIMIT and v.type.element not in NARROW and v.type.rank > 0 and v.type.size > 0)
    if not x:
        return None
    future = f"!stablehlo.future<{x.type}>"
    made = p.emit_text(f'"stablehlo.async_start"({x.name}) ({{\n    ^bb0(%a: {x.type}):\n'
                       f'      %b = "stablehlo.all_gather"(%a) {{all_gather_dim = 0 : i64, {GROUP}}} : ({x.type}) -> {x.type}\n'
                       f"      stablehlo.return %b : {x.type}\n    }}) : ({x.type}) -> {future}")
    return p.emit(f'"stablehlo.async_done"({made}) : ({future}) -> {x.type}', x.type, bound=x.bound)


ALL = [number, collective, collective, asynchronous]
