"""Which places are changed: drawn at random, by the size of each area."""

import random

import places

# How often a place of each family is drawn: results are few, and nearly always noticed.
WEIGHTS = {"operator": 6, "call": 5, "literal": 4, "condition": 4, "return": 1}


def area_of(path, named):
    """The area a file counts for: one the table names, else its target and the first folder in it."""
    for each in named:
        if path.startswith(each["path"].rstrip("/") + "/"):
            return each["path"].removeprefix("Sources/").rstrip("/")
    parts = path.removeprefix("Sources/").split("/")
    return "/".join(parts[:2]) if len(parts) > 2 else parts[0]


def areas(files, named):
    """The files of each area, in the order of their names."""
    found = {}
    for path in sorted(files):
        found.setdefault(area_of(path, named), []).append(path)
    return dict(sorted(found.items()))


def quotas(sizes, least, count, random):
    """How many places each area gets: in proportion to its lines, but no fewer than `least` says."""
    sizes, rest, quota = dict(sizes), count, {}
    # Those whose share is too small get theirs first, which makes that of the others smaller.
    while sizes:
        total = sum(sizes.values())
        small = [area for area in sizes if rest * sizes[area] / total < least.get(area, 0)]
        if not small:
            break
        for area in small:
            quota[area] = least[area]
            rest -= least[area]
            del sizes[area]
    # Evenly spaced marks on all lines put behind each other, so that small areas have their turn with another seed.
    step = sum(sizes.values()) / rest if rest > 0 else 0
    mark, end = random.random() * step, 0
    for area, size in sizes.items():
        end += size
        quota[area] = 0
        while rest > 0 and mark < end:
            quota[area] += 1
            mark += step
    return quota


def overlaps(place, others):
    return any(place.start < other.end and other.start < place.end for other in others)


def drawn(files, named, seed, count):
    """The changes by number, each as (path, place), and their areas."""
    chance = random.Random(seed)
    found = areas(files, named)
    sizes = {area: sum(files[path].count("\n") for path in paths) for area, paths in found.items()}
    least = {each["path"].removeprefix("Sources/").rstrip("/"): each.get("least", 0) * count // 150 for each in named}
    quota = quotas(sizes, {area: each for area, each in least.items() if area in sizes}, count, chance)
    chosen = []
    for area, paths in found.items():
        families = {}
        for path in paths if quota[area] else []:
            for place in places.places_of(files[path]):
                families.setdefault(place.family, []).append((path, place))
        taken = {}
        for _ in range(quota[area]):
            for _ in range(100):
                if not families:
                    break
                names = sorted(families)
                [family] = chance.choices(names, [WEIGHTS[name] for name in names])
                path, place = chance.choice(families[family])
                if not overlaps(place, taken.setdefault(path, [])):
                    taken[path].append(place)
                    chosen.append((area, path, place))
                    break
    chosen.sort(key=lambda each: (each[1], each[2].start))
    numbered = {number: (path, place) for number, (_, path, place) in enumerate(chosen, 1)}
    return numbered, {number: area for number, (area, _, _) in enumerate(chosen, 1)}
