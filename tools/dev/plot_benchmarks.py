"""Draws what `tools/dev/bench` measured, which calls it for --plot; from its --json FILE: plot_benchmarks.py FILE PICTURE.png

Left, the time of a steady call beside each peer's; right, time and memory of compilation. All bars are heddle's figure over the peer's: shorter
than 1, heddle is ahead. Of several lines for one row, the last counts.
"""

import json
import sys

COLOURS = {"onnxruntime": "#2f6fa7", "openvino": "#8a5ea8", "openvino-bf16": "#b48fc9", "iree": "#c2701d", "iree, memory": "#e3b27f"}


def bars(axes, title: str, rows: list[tuple[str, dict[str, float]]]) -> None:
    """One group of horizontal bars a row, one bar a peer, with its figure at its end."""
    peers = list(dict.fromkeys(peer for _, ratios in rows for peer in ratios))
    height = 0.8 / max(len(peers), 1)
    for i, peer in enumerate(peers):
        places = [(row + i * height, ratios[peer]) for row, (_, ratios) in enumerate(rows) if peer in ratios]
        drawn = axes.barh([place for place, _ in places], [ratio for _, ratio in places], height * 0.9, color=COLOURS[peer], label=peer)
        axes.bar_label(drawn, fmt="%.2f", padding=2, fontsize=7)
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_yticks([row + 0.4 - height / 2 for row in range(len(rows))], [name for name, _ in rows], fontsize=8)
    axes.invert_yaxis()
    axes.set_xlim(0, 1.15 * max([1.0] + [ratio for _, ratios in rows for ratio in ratios.values()]))
    axes.set_title(title, fontsize=10)
    axes.legend(fontsize=7, loc="lower right")
    axes.spines[["top", "right"]].set_visible(False)


def draw(lines: list[dict], picture: str) -> None:
    """`lines`: what --json writes of each row."""
    results = {result["name"]: result for result in lines}
    running = [(name, result["ratio"]) for name, result in results.items() if "peak_bytes" not in result]
    compiling = [(name.removeprefix("compile-"), {**result["ratio"], **{f"{peer}, memory": ratio for peer, ratio in result.get("memory_ratio", {}).items()}})
                 for name, result in results.items() if "peak_bytes" in result]
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(1, 2, figsize=(9, 1.2 + 0.3 * max(len(running), 2 * len(compiling))), width_ratios=(3, 2), layout="constrained")
    bars(axes[0], "steady call: heddle's time / peer's", running)
    bars(axes[1], "import and compile: heddle's / peer's", compiling)
    machines = sorted({f"{result['machine']}; commit {result['commit']}" for result in results.values()})
    figure.supxlabel("; ".join(machines), fontsize=7)
    figure.savefig(picture, dpi=120)


if __name__ == "__main__":
    draw([json.loads(line) for line in open(sys.argv[1])], sys.argv[2])
