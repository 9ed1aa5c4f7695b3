"""Draws docs/architecture.md's picture and table of what imports what, from the code: run it after moving a module.

    python docs/pictures/make_architecture.py

tests/test_docs.py says where the page is behind.
"""

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "loganalyzer"
PAGE = ROOT / "docs/architecture.md"
ENTRY = {"__main__"}  # starts cli, and says nothing by itself
BELOW = {"errors", "schema", "document", "escape", "epoch", "wellknown", "asjson", "atomic", "scratch", "held", "codes",
         "groups"}  # whom everybody may import: their edges would hide the others  # fmt: skip


def area(path: Path) -> str:
    """The part of the package that a module belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports() -> dict[str, set[str]]:
    """Which parts each part imports from."""
    found: dict[str, set[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        if path == PACKAGE / "__init__.py":
            continue
        named = {
            node.module.split(".")[1]
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("loganalyzer.")
        }
        found.setdefault(area(path), set()).update(named - {area(path)})
    return found


def drawn(edges: dict[str, set[str]]) -> list[tuple[str, str]]:
    """The edges that a picture needs: not those that a longer way shows already."""
    parts = {part: uses - BELOW for part, uses in edges.items() if part not in BELOW | ENTRY}
    reach: dict[str, set[str]] = {}

    def below(part: str) -> set[str]:
        if part not in reach:
            reach[part] = set().union(*({used} | below(used) for used in parts.get(part, ())))
        return reach[part]

    return sorted(
        (part, used)
        for part, uses in parts.items()
        for used in uses
        if not any(used in below(other) for other in uses - {used})
    )


def about(part: str) -> str:
    """What a part is, by the first sentence of its docstring."""
    path = PACKAGE / part / "__init__.py" if (PACKAGE / part).is_dir() else PACKAGE / f"{part}.py"
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(re.split(r"\n\n", text)[0].split()).rstrip(".").replace("|", "/")


def page(text: str, layers: list[set[str]]) -> str:
    """The page with its picture and its table made anew."""
    edges = "\n".join(f"    {part} --> {used}" for part, used in drawn(imports()))
    rows = "\n".join(
        f"| {number} | `{part}` | {about(part)} |"
        for number, parts in enumerate(layers, 1)
        for part in sorted(parts - ENTRY)
    )
    table = f"| layer | part | what it is |\n| --: | --- | --- |\n{rows}"
    made = {"picture": f"```mermaid\nflowchart TD\n{edges}\n```", "table": table}
    for name, content in made.items():
        text = re.sub(rf"(<!-- {name} -->\n).*?(<!-- end -->)", rf"\g<1>{content}\n\g<2>", text, flags=re.DOTALL)
    return text


def main() -> None:
    """Write the page."""
    sys.path.insert(0, str(ROOT / "tests"))
    from test_layers import LAYERS

    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), LAYERS), encoding="utf-8")


if __name__ == "__main__":
    main()
