"""paper_figures.py - the pictures of the papers' tables, and tables of very many workloads as a summary: how many times as fast as
the base each one is, from the greatest loss to the greatest gain."""

import io
import statistics

from .publish import markdown, number


def told_environment(e):
    return (f"{e['cpu']['model']}, {e['cpu']['cpus']} CPUs, commit {str(e['commit'])[:12]}" +
            (", with changed files" if e["changed_files"] else ""))


def gains(table, found, name):
    """[(times as fast as the base, workload)], ascending; workloads without both numbers, or with other answers, are left out."""
    base = table["summary"]["base"]
    pairs = [(cells[base].value / cells[name].value, workload) for workload, cells in found.items()
             if cells[base].value and cells[name].value and not cells[name].wrong]
    return sorted(pairs)


def row_of(pairs, workloads):
    """Pipelines, those that are faster, the slowest, the middle, the fastest."""
    times = [gain for gain, _ in pairs]
    if not times:
        return [f"0 of {workloads}", "-", "-", "-", "-"]
    faster = sum(gain > 1 for gain in times) / len(times)
    return [f"{len(times)} of {workloads}", f"{faster:.0%}", *(f"{number(t)} x" for t in (times[0], statistics.median(times), times[-1]))]


def reasons(table, found, name):
    """Why workloads of a system have no number: {reason: how many}."""
    counts = {}
    for cells in found.values():
        value = cells[name]
        why = value.reason or ("other answers than the library's" if value.wrong else None)
        if why:
            counts[why] = counts.get(why, 0) + 1
    return counts


def summary(table, found, told):
    """The summary as Markdown, the paper's own figures last."""
    base = table["summary"]["base"]
    rows = [[name, *row_of(gains(table, found, name), len(found))] for name in table["systems"] if name != base]
    rows += [[f"paper: {name}", *figures] for name, figures in table["summary"].get("paper", {}).items()]
    head = [f"beside {base}", "pipelines", "faster", "the slowest", "the middle", "the fastest"]
    notes = [f"{name}: {count} without a number: {why}" for name in table["systems"] for why, count in sorted(reasons(table, found, name).items())]
    return "\n\n".join([f"**{table['paper']}, {table['title']}** ({table['unit']}). {told}".strip(), markdown(head, rows),
                        *([". ".join(notes) + "."] if notes else [])])


# ---------------------------------------------------------------------- pictures, as PNG


def picture(table, found):
    """The plot that shows the table best; None where no cell has a number."""
    if not any(value.value for cells in found.values() for value in cells.values()):
        return None
    if "summary" in table:
        return drawn(table, gain_bars, found)
    return drawn(table, lines if table.get("plot") == "lines" else bars, found)


def drawn(table, draw, found, width=8):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    made, axes = pyplot.subplots(figsize=(width, 4.5), dpi=100)
    axes.set_title(f"{table['paper']}, {table['title']}", fontsize=9)
    axes.grid(True, axis="y", alpha=0.3)
    draw(axes, table, found)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize=7)
    data = io.BytesIO()
    made.savefig(data, format="png", bbox_inches="tight", metadata={"Software": None})
    pyplot.close(made)
    return data.getvalue()


def gain_bars(axes, table, found):
    """Each pipeline a bar, in the order of its gain."""
    base = table["summary"]["base"]
    for name in table["systems"]:
        times = [gain for gain, _ in gains(table, found, name)]
        if name != base and times:
            axes.bar(range(len(times)), [t - 1 for t in times], bottom=1, width=1.0, alpha=0.6, label=name)
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_yscale("log")
    axes.set_xlabel("pipelines, from the greatest loss to the greatest gain")
    axes.set_ylabel(f"times as fast as {base}")


def those_with_numbers(table, found):
    return [name for name in table["systems"] if any(cells[name].value for cells in found.values())]


def bars(axes, table, found):
    """A group of bars for each workload, a bar for each system."""
    names = those_with_numbers(table, found)
    for place, name in enumerate(names):
        at = [group + (place + 0.5) / len(names) * 0.8 - 0.4 for group in range(len(found))]
        axes.bar(at, [cells[name].value or 0 for cells in found.values()], width=0.8 / len(names), label=name)
    axes.set_xticks(range(len(found)), list(found), rotation=30, ha="right", fontsize=7)
    if table["kind"] != "accuracy":
        axes.set_yscale("log")
    axes.set_ylabel(table["unit"].split(",")[0].split(";")[0])


def lines(axes, table, found):
    """A line for each system, over the rows at a time."""
    sizes = {workload["name"]: workload["settings"]["batch"] for workload in table["workloads"]}
    for name in those_with_numbers(table, found):
        points = sorted((sizes[workload], cells[name].value) for workload, cells in found.items() if cells[name].value)
        axes.plot(*zip(*points), marker="o", markersize=3, label=name)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("rows at a time")
    axes.set_ylabel(table["unit"].split(",")[0])


def stacked(table, head, rows):
    """A bar for each row, of the two columns behind its name; None where there is no row."""

    def draw(axes, _, shown):
        names = [row[0] for row in shown]
        low, high = ([float(row[column].replace(",", "")) for row in shown] for column in (1, 2))
        axes.barh(names, low, label=head[1])
        axes.barh(names, high, left=low, label=head[2])
        axes.invert_yaxis()
        axes.grid(True, axis="x", alpha=0.3)

    return drawn(table, draw, rows) if rows else None
