"""Prints a program of twenty sizes, each from 0 to 2, but the last, `big`, which no input tells and which is as large as sizes can be. The result is
their sum."""

names = [f"s{i}" for i in range(19)]
symbols = [f'{{name = "{name}", minimum = 0 : i64, maximum = 2 : i64}}' for name in names]
symbols.append('{name = "big", minimum = 0 : i64, maximum = 2147483647 : i64}')
inputs = [f"%x{i}: tensor<3x2xi8> {{heddle.shape = #size.extents<{name} + 1, 2>}}" for i, name in enumerate(names)]
extents = [f'%e{i}: tensor<i32> {{heddle.extent = "{name}"}}' for i, name in enumerate(names + ["big"])]
print(f"module attributes {{heddle.symbols = [{', '.join(symbols)}]}} {{")
print(f"  func.func @main({', '.join(inputs + extents)}) -> (tensor<f32> {{heddle.name = \"sum\"}}) {{")
for i in range(20):
    print(f"    %f{i} = stablehlo.convert %e{i} : (tensor<i32>) -> tensor<f32>")
for i in range(1, 20):
    print(f"    %t{i} = stablehlo.add %{'f0' if i == 1 else f't{i - 1}'}, %f{i} : tensor<f32>")
print("    return %t19 : tensor<f32>")
print("  }")
print("}")
