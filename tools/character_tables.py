"""Shared by the scripts that make core/base/*_tables.h: tables in C of what becomes of characters."""


def rows(changes):
    """(first, last, step, every, mark): the codes first, first + every, .. last become code + step. `changes` has
    ((code, other), mark) in ascending order; a row has one mark."""
    made = []
    for (code, other), mark in changes:
        step = other - code
        if made and made[-1][2] == step and made[-1][4] == mark:
            first, last, _, every, _ = made[-1]
            if code - last == every or (first == last and code - last in (1, 2)):
                made[-1] = (first, code, step, code - last, mark)
                continue
        made.append((code, code, step, 1, mark))
    return made


def table(comment, kind, name, items):
    """An array of structs, each of texts. A comment of "" is none."""
    lines, line = [f"/* {comment} */"] if comment else [], "   "
    lines.append(f"static const {kind} {name}[{len(items)}] = {{")
    for item in items:
        text = " {" + ", ".join(item) + "},"
        if len(line) + len(text) > 118:
            lines.append(line)
            line = "   "
        line += text
    return "\n".join([*lines, line, "};", ""])


def check(made, script):
    """Compares {path: text} with the committed files and says so; the status of the script."""
    wrong = []
    for path, text in made.items():
        with open(path, encoding="ascii") as file:
            if file.read() != text:
                wrong.append(path)
    for path in wrong:
        print(f"{path} is not what tools/{script} makes")
    print(f"{len(made) - len(wrong)} passed, {len(wrong)} failed")
    return 1 if wrong else 0


def write(made):
    for path, text in made.items():
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
