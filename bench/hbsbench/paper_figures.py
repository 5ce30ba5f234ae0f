"""paper_figures.py - tables of very many workloads as a summary and a picture: how many times as fast as the base each one is, from
the greatest loss to the greatest gain."""

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


def bars(table, found):
    """A picture, as PNG: each pipeline a bar, in the order of its gain."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    base = table["summary"]["base"]
    made, axes = pyplot.subplots(figsize=(8, 4.5), dpi=100)
    for name in table["systems"]:
        times = [gain for gain, _ in gains(table, found, name)]
        if name != base and times:
            axes.bar(range(len(times)), [t - 1 for t in times], bottom=1, width=1.0, alpha=0.6, label=name)
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_yscale("log")
    axes.set_title(f"{table['paper']}, {table['title']}", fontsize=9)
    axes.set_xlabel("pipelines, from the greatest loss to the greatest gain")
    axes.set_ylabel(f"times as fast as {base}")
    axes.grid(True, axis="y", alpha=0.3)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize=8)
    data = io.BytesIO()
    made.savefig(data, format="png", bbox_inches="tight", metadata={"Software": None})
    pyplot.close(made)
    return data.getvalue()
