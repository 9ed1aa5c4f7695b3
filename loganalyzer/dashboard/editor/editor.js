// A text field that tells what is in it while somebody types, with line numbers and a line under each fault.
// All text goes in as `value` or `textContent`: nothing of it is ever read as HTML.
const PAUSE_MS = 300;

export default function ({ parentElement, data, setStateValue }) {
  const area = parentElement.querySelector("textarea");
  const under = parentElement.querySelector(".under");
  const gutter = parentElement.querySelector(".gutter");
  const held = (area.loganalyzer ??= { put: null, timer: null });
  held.data = data;
  held.tell = () => {
    clearTimeout(held.timer);
    held.timer = null;
    setStateValue("typed", { put: held.put, text: area.value });
  };

  // A mark is drawn only while its line still reads as it did when the fault was found in it.
  const paint = () => {
    const lines = area.value.split("\n");
    const found = held.data.text.split("\n");
    const marks = new Map();
    for (const mark of held.data.marks) {
      if (lines[mark.line - 1] === found[mark.line - 1]) marks.set(mark.line, [...(marks.get(mark.line) ?? []), mark]);
    }
    const number = (line) => {
      const of = marks.get(line) ?? [];
      const label = document.createElement("div");
      label.textContent = of.length ? `${of[0].shape} ${line}` : `${line}`;
      label.className = of.length ? of[0].level : "";
      label.title = of.map((mark) => mark.title).join("\n");
      return label;
    };
    const written = (text, line) => {
      const row = document.createElement("div");
      const mark = marks.get(line)?.[0];
      if (!mark) {
        row.textContent = text || " ";
        return row;
      }
      const letters = [...text]; // columns count characters, not halves of them
      const fault = document.createElement("span");
      fault.className = mark.level;
      fault.textContent = letters.slice(mark.start, mark.end).join("") || " ";
      row.append(letters.slice(0, mark.start).join(""), fault, letters.slice(mark.end).join(""));
      return row;
    };
    gutter.replaceChildren(...lines.map((_, i) => number(i + 1)));
    under.replaceChildren(...lines.map((text, i) => written(text, i + 1)));
    follow();
  };
  const follow = () => {
    under.style.transform = `translate(${-area.scrollLeft}px, ${-area.scrollTop}px)`;
    gutter.style.transform = `translateY(${-area.scrollTop}px)`;
  };

  area.oninput = () => {
    paint();
    clearTimeout(held.timer);
    held.timer = setTimeout(() => held.tell(), PAUSE_MS);
  };
  area.onblur = () => {
    if (held.timer !== null) held.tell();
  };
  area.onscroll = follow;
  if (held.put !== data.put) {
    clearTimeout(held.timer);
    held.timer = null;
    held.put = data.put;
    area.value = data.text;
  }
  paint();
}
