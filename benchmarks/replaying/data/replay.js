"use strict";
// Whatever was recorded becomes text nodes, never markup.
const data = JSON.parse(document.getElementById("data").textContent);
const last = data.positions.length - 1;
const find = (id) => document.getElementById(id);
let at = 0;
let timer = null;

function make(tag, text, kind) {
  const element = document.createElement(tag);
  if (text !== undefined && text !== null) element.textContent = text;
  if (kind) element.className = kind;
  return element;
}

function fold(title, open, ...content) {
  const details = make("details");
  details.open = open;
  details.append(make("summary", title), ...content);
  return details;
}

function passage(text, kind) {
  const block = make("pre", text === "" ? "(empty)" : text, kind);
  block.dir = "auto";
  return block;
}

function signed(number) {
  return (number > 0 ? "+" : number < 0 ? "−" : "") + Math.abs(number);
}

function answerBlock(answer) {
  const block = make("article", null, answer.good ? "answer" : "answer bad");
  const head = make("p", null, "kind");
  head.append(make("b", `Answer ${answer.attempt ?? 1}: ${answer.kind}`));
  if (answer.reason) head.append(` (${answer.reason})`);
  block.append(head);
  if (answer.usage) block.append(make("p", answer.usage, "usage"));
  if (answer.reasoning) block.append(fold("Reasoning", false, passage(answer.reasoning)));
  if (answer.reply !== null) block.append(passage(answer.reply, "reply"));
  if (answer.move !== null) block.append(make("p", `Read as: ${answer.move}`, "usage"));
  for (const [to, text] of answer.said) {
    block.append(make("p", `Said to ${to}:`, "usage"), passage(text));
  }
  for (const [move, reason] of answer.rejected) {
    block.append(make("p", `Refused: ${move} (${reason})`, "usage"));
  }
  if (answer.prompt.length) {
    const messages = answer.prompt.flatMap(([role, text]) => [
      make("p", role, "role"),
      passage(data.texts[text], "prompt"),
    ]);
    block.append(fold(`Prompt (${answer.version})`, false, ...messages));
  }
  return block;
}

function legalBlock(position) {
  if (!position.legal.length) return [];
  const scored = position.legal.some((move) => move[2] !== null);
  const moves = [...position.legal];
  if (scored) moves.sort((a, b) => (b[2] ?? -Infinity) - (a[2] ?? -Infinity));
  const list = make("ul", null, "legal");
  for (const [action, name, score, rank] of moves) {
    const item = make("li", name);
    if (action === position.action) {
      item.classList.add("chosen");
      item.append(make("span", " (played)", "hidden"));
    }
    if (score !== null) {
      item.append(" ", make("b", signed(score)));
      if (rank === 1) item.classList.add("best");
    }
    list.append(item);
  }
  const count = `${moves.length} legal ${moves.length === 1 ? "move" : "moves"}`;
  const title = scored ? `${count}, best first by ${position.judge}` : count;
  const block = fold(title, moves.length <= 60, list);
  const choice = position.choice === null ? [] : [
    make("p", `${position.judge} would play ${position.choice}`, "usage"),
  ];
  return [...choice, block];
}

function show(to) {
  at = Math.min(Math.max(to, 0), last);
  const position = data.positions[at];
  find("heading").textContent = position.heading;
  find("chance").textContent = position.chance.join(" ");
  const board = data.texts[position.board];
  const drawn = position.image !== null;
  find("picture").hidden = !drawn;
  find("words").hidden = drawn;
  find("spoken").hidden = !drawn;
  if (drawn) {
    find("picture").src = data.images[position.image];
    find("picture").alt = `Board: ${position.heading}. Below it stands as text.`;
  }
  find("words").textContent = drawn ? "" : board;
  find("text").textContent = board;
  const played = position.move === null ? "" : position.told || position.move;
  find("played").replaceChildren();
  if (position.move !== null) {
    find("played").append(make("b", position.move), position.told ? ` ${position.told}` : "");
  }
  find("answers").replaceChildren(...position.answers
    .filter((answer) => answer.reply !== null || answer.prompt.length)
    .map(answerBlock));
  find("moves").replaceChildren(...legalBlock(position));
  find("result").hidden = at !== last || data.result === null;
  find("slider").value = String(at);
  find("slider").setAttribute("aria-valuetext", `${position.heading}. ${played}`);
  find("first").disabled = find("back").disabled = at === 0;
  find("next").disabled = find("last").disabled = at === last;
  const rows = find("list").children;
  for (const row of find("list").querySelectorAll("[aria-current]")) {
    row.removeAttribute("aria-current");
  }
  const row = rows[at].firstChild;
  row.setAttribute("aria-current", "step");
  const list = find("list");
  // The list alone scrolls, not the page.
  list.scrollTop += row.getBoundingClientRect().top - list.getBoundingClientRect().top
    - list.clientHeight / 2;
  history.replaceState(null, "", at ? `#${at}` : location.pathname + location.search);
  if (at === last) pause();
}

function pause() {
  clearInterval(timer);
  timer = null;
  find("play").textContent = "Play";
  find("play").setAttribute("aria-pressed", "false");
  find("play").setAttribute("aria-label", "Play");
}

function play() {
  if (at === last) show(0);
  timer = setInterval(() => show(at + 1), Number(find("pace").value));
  find("play").textContent = "Pause";
  find("play").setAttribute("aria-pressed", "true");
  find("play").setAttribute("aria-label", "Pause");
}

function go(to) {
  pause();
  show(to);
}

find("title").textContent = data.title;
for (const [name, value] of data.facts) find("facts").append(make("dt", name), make("dd", value));
const wrong = data.problems.length > 0;
find("verdict").className = wrong ? "wrong" : "right";
find("verdict").textContent = wrong
  ? `The record does not agree with the rules. ${data.problems.join(" ")}` : data.agrees;
if (data.result !== null) {
  find("result").append(make("h3", "Returns"));
  const list = make("ul");
  for (const [seat, policy, value] of data.result) {
    const item = make("li", `seat ${seat}, ${policy} `);
    item.append(make("b", signed(Math.round(value * 1000) / 1000)));
    list.append(item);
  }
  find("result").append(list);
}
data.positions.forEach((position, k) => {
  const row = make("li");
  const button = make("button");
  button.type = "button";
  const bad = position.answers.filter((answer) => !answer.good).length;
  if (data.whole) button.append(make("span", position.seat === null ? "" : String(k + 1), "number"));
  const dot = make("span", position.seat === null ? "" : String(position.seat), "seat");
  dot.dataset.seat = String(position.seat);
  if (position.seat !== null) dot.title = `seat ${position.seat}, ${position.policy}`;
  button.append(dot);
  const move = position.move ?? (position.seat === null ? "End" : "nothing played");
  button.append(make("span", data.whole ? move : position.heading, "name"));
  button.append(make("span", data.whole ? position.told : move, "told"));
  if (bad) {
    const mark = make("span", `✗${bad > 1 ? bad : ""}`, "mark");
    mark.title = `${bad} bad ${bad === 1 ? "answer" : "answers"}`;
    button.append(mark);
  }
  button.addEventListener("click", () => go(k));
  row.append(button);
  find("list").append(row);
});
find("chance").hidden = !data.positions.some((position) => position.chance.length);
find("slider").max = String(last);
find("slider").addEventListener("input", () => go(Number(find("slider").value)));
find("first").addEventListener("click", () => go(0));
find("back").addEventListener("click", () => go(at - 1));
find("next").addEventListener("click", () => go(at + 1));
find("last").addEventListener("click", () => go(last));
find("play").addEventListener("click", () => (timer === null ? play() : pause()));
find("pace").addEventListener("change", () => {
  if (timer !== null) {
    pause();
    play();
  }
});
document.addEventListener("keydown", (event) => {
  const inControl = event.target.closest && event.target.closest("input, select");
  if (event.altKey || event.ctrlKey || event.metaKey || inControl) return;
  const keys = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last };
  if (event.key in keys) {
    event.preventDefault();
    go(keys[event.key]);
  } else if (event.key === " " && event.target === document.body) {
    event.preventDefault();
    find("play").click();
  }
});
show(Number(location.hash.slice(1)) || 0);
