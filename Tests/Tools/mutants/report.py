"""What came of a draw, as a table and a list."""

COLUMNS = ["made", "compiled", "noticed", "survived", "equivalent"]


def shortened(text, length=150):
    return text if len(text) <= length else text[: length - 1] + "…"


def describe(path, place):
    """One change in two lines."""
    after = shortened(place.after) if place.after else "(left out)"
    return f"{path}:{place.line}\n    - {shortened(place.before)}\n    + {after}"


def row_of(area, named):
    """Areas of the table have a row of their own, the others that of their target."""
    return area if area in named else area.split("/")[0]


def share(row):
    """How many of those that matter were noticed, in percent; None if there are none."""
    matter = row["compiled"] - row["equivalent"]
    return 100 * row["noticed"] / matter if matter else None


def rows(areas, results, left_out, named):
    found = {}
    for number, area in areas.items():
        row = found.setdefault(row_of(area, named), dict.fromkeys(COLUMNS, 0))
        row["made"] += 1
        if number in left_out:
            continue
        row["compiled"] += 1
        if number in results:
            kind = results[number]["outcome"]
            row["survived" if kind == "chance" else kind] += 1
    return dict(sorted(found.items()))


def table(found):
    total = {column: sum(row[column] for row in found.values()) for column in COLUMNS}
    lines = ["| area | made | compiled | noticed | survived | equivalent | noticed of those that matter |", "|---|---|---|---|---|---|---|"]
    for name, row in [*found.items(), ("all", total)]:
        percent = share(row)
        cells = [str(row[column]) for column in COLUMNS] + ["–" if percent is None else f"{percent:.0f} %"]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines, total


def listed(title, numbers, chosen, results):
    lines = ["", f"## {title} ({len(numbers)})", ""] if numbers else []
    for number in numbers:
        path, place = chosen[number]
        text = results.get(number, {}).get("text", "")
        lines.append(f"{number}. {describe(path, place)}" + (f"\n    {text}" if text else ""))
    return lines


def report(heading, chosen, areas, results, left_out, named):
    """The lines of the report, and the percentages by row and of all."""
    found = rows(areas, results, left_out, named)
    lines, total = table(found)

    def those(outcome):
        return [number for number in sorted(results) if results[number]["outcome"] == outcome]

    reasons = {number: {"text": reason} for number, reason in left_out.items()}
    lines = [f"# {heading}", "", *lines]
    lines += listed("Survivors", those("survived"), chosen, results)
    lines += listed("Noticed by chance, counted as survivors", those("chance"), chosen, results)
    lines += listed("Equivalent", those("equivalent"), chosen, results)
    lines += listed("Not compiled", sorted(left_out), chosen, reasons)
    return lines, {**{name: share(row) for name, row in found.items()}, "all": share(total)}
