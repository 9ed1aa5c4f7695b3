// A text field that tells what is in it while somebody types, with line numbers and a line under each fault.
// All text goes in as `value` or `textContent`: nothing of it is ever read as HTML.
const PAUSE_MS = 300;
const PADDING = 8, HEIGHT = 20; // pixels, as in the style sheet
// What was typed and not told, for when the editor is shown again: a word sent beside a change of page would undo it.
let untold = null;

export default function ({ parentElement, data, setStateValue }) {
  const area = parentElement.querySelector("textarea");
  const under = parentElement.querySelector(".under");
  const gutter = parentElement.querySelector(".gutter");
  const [numbers, signs] = gutter.children;
  const held = (area.loganalyzer ??= { put: null, timer: null, count: 0 });
  held.data = data;
  held.tell = () => {
    clearTimeout(held.timer);
    held.timer = null;
    setStateValue("typed", { put: held.put, text: area.value });
  };

  // A mark is drawn only while its line still reads as it did when the fault was found in it; where a line has several,
  // the gravest, which comes first. Only lines with a mark are drawn: a long file is typed in as fast as a short one.
  const paint = () => {
    const lines = area.value.split("\n");
    const found = held.data.text.split("\n");
    const marks = new Map();
    for (const mark of held.data.marks) {
      if (lines[mark.line - 1] === found[mark.line - 1]) marks.set(mark.line, [...(marks.get(mark.line) ?? []), mark]);
    }
    if (held.count !== lines.length) {
      held.count = lines.length;
      numbers.textContent = lines.map((_, i) => i + 1).join("\n");
    }
    const drawn = [...marks].map(([line, of]) => [at(sign(of), line), at(written(lines[line - 1], of[0]), line)]);
    signs.replaceChildren(...drawn.map(([sign]) => sign));
    under.replaceChildren(...drawn.map(([, text]) => text));
    follow();
  };
  const at = (element, line) => {
    element.style.top = `${PADDING + (line - 1) * HEIGHT}px`;
    return element;
  };
  const sign = (of) => {
    const shape = document.createElement("div");
    shape.textContent = of[0].shape;
    shape.title = of.map((mark) => mark.title).join("\n");
    return shape;
  };
  const written = (text, mark) => {
    const row = document.createElement("div");
    const fault = document.createElement("span");
    const letters = [...text]; // columns count characters, not halves of them
    fault.className = mark.level;
    fault.textContent = letters.slice(mark.start, mark.end).join("") || " ";
    row.append(letters.slice(0, mark.start).join(""), fault, letters.slice(mark.end).join(""));
    return row;
  };
  const follow = () => {
    under.style.transform = `translate(${-area.scrollLeft}px, ${-area.scrollTop}px)`;
    gutter.style.transform = `translateY(${-area.scrollTop}px)`;
  };

  const soon = () => {
    clearTimeout(held.timer);
    held.timer = setTimeout(() => held.tell(), PAUSE_MS);
  };
  const keep = () => {
    if (held.timer !== null) untold = { put: held.put, text: area.value };
    clearTimeout(held.timer);
    held.timer = null;
  };
  const pointed = (event) => {
    held.leaves = event.target.closest?.("[data-testid=stSidebarNav]");
  };

  area.oninput = () => {
    paint();
    soon();
  };
  area.onblur = () => {
    if (held.timer === null) return;
    if (held.leaves) keep();
    else held.tell();
  };
  area.onscroll = follow;
  document.addEventListener("pointerdown", pointed, true);
  if (held.put !== data.put) {
    clearTimeout(held.timer);
    held.timer = null;
    held.put = data.put;
    area.value = data.text;
  }
  if (untold?.put === data.put) {
    area.value = untold.text;
    soon();
  }
  untold = null;
  paint();
  return () => {
    document.removeEventListener("pointerdown", pointed, true);
    keep();
  };
}
