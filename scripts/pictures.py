"""Kinds of pictures that several studies draw; readable in black and white, with two standard errors as bars."""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes

from pitchsim.charts import SHADES, TRACES

Figures = Sequence[float]


def dots(axes: Axes, labels: Sequence[str], series: Mapping[str, tuple[Figures, Figures]], unit: str) -> None:
    """A line for each label from top to bottom, and on it a point with its error for each of the series."""
    for place, (name, (values, errors)) in enumerate(series.items()):
        shift = (place - (len(series) - 1) / 2) * 0.5 / len(series)
        axes.errorbar(
            values, [line + shift for line in range(len(labels))], xerr=[2 * error for error in errors], label=name,
            capsize=3, markersize=5.5, **TRACES[place % len(TRACES)] | {"linestyle": "none"},
        )  # fmt: skip
    axes.axvline(0, color="grey", linewidth=0.8)
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.grid(axis="y", color="#eeeeee")
    axes.set_axisbelow(True)
    axes.set_xlabel(unit)
    if len(series) > 1:
        axes.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(series))


def stacked(axes: Axes, labels: Sequence[str], shares: Mapping[str, Figures], unit: str) -> None:
    """A bar for each label from top to bottom, cut into shares."""
    left = [0.0] * len(labels)
    for (name, parts), (colour, hatch) in zip(shares.items(), SHADES, strict=False):
        axes.barh(
            range(len(labels)), parts, left=left, color=colour, hatch=hatch, edgecolor="black", linewidth=0.6,
            height=0.62, label=name,
        )  # fmt: skip
        left = [low + part for low, part in zip(left, parts, strict=True)]
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.set_xlabel(unit)
    axes.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(shares))
