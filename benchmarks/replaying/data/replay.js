// --- a decision ----------------------------------------------------------------------------------

function answerBlock(answer, position) {
  const block = make("article", null, answer.good ? "answer" : "answer bad");
  const head = make("p", null, "kind");
  head.append(make("b", `Answer ${answer.attempt ?? 1}: ${answer.kind}`));
  if (answer.reason) head.append(` (${answer.reason})`);
  block.append(head);
  if (answer.usage) block.append(make("p", answer.usage, "usage"));
  if (answer.reasoning) block.append(fold("Reasoning", false, passage(answer.reasoning)));
  if (answer.reply !== null) block.append(passage(answer.reply, "reply"));
  if (answer.move !== null && answer.move !== position.move) {
    block.append(make("p", `Read as: ${answer.move}`, "usage"));
  }
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

// --- the board -----------------------------------------------------------------------------------

// The tiles of every position of a game, each from those of the one before.
function framesOf(positions) {
  let tiles = [];
  return positions.map(({ image }) => {
    if (image === null) return null;
    tiles = tiles.slice();
    for (let k = 0, to = -1; k < image.length; k += 2) {
      to += image[k] + 1;
      tiles[to] = image[k + 1];
    }
    return tiles;
  });
}

function paint() {
  const tiles = frames[at];
  if (!tiles || sheet === null) return;
  const canvas = find("picture");
  const [width, height] = game.size;
  canvas.width = width;
  canvas.height = height;
  const pen = canvas.getContext("2d");
  const wide = Math.ceil(width / TILE);
  tiles.forEach((tile, k) => pen.drawImage(
    sheet, (tile % ACROSS) * TILE, Math.floor(tile / ACROSS) * TILE, TILE, TILE,
    (k % wide) * TILE, Math.floor(k / wide) * TILE, TILE, TILE,
  ));
  if (!flipped) return;
  const copy = document.createElement("canvas");
  copy.width = width;
  copy.height = height;
  copy.getContext("2d").drawImage(canvas, 0, 0);
  const cuts = game.cuts;
  const parts = cuts.length - 1;
  const other = (k) => (k === 0 || k === parts - 1 ? k : parts - 1 - k);
  for (let x = 0; x < parts; x += 1) {
    for (let y = 0; y < parts; y += 1) {
      const [fromX, fromY] = [other(x), other(y)];
      pen.drawImage(
        copy, cuts[fromX], cuts[fromY], cuts[fromX + 1] - cuts[fromX], cuts[fromY + 1] - cuts[fromY],
        cuts[x], cuts[y], cuts[x + 1] - cuts[x], cuts[y + 1] - cuts[y],
      );
    }
  }
}

function seen([x, y]) {
  if (!flipped) return [x, y];
  const [first, end] = [game.cuts[1], game.cuts[game.cuts.length - 2]];
  return [first + end - x, first + end - y];
}

function point(position) {
  const arrow = find("arrow");
  arrow.replaceChildren();
  if (!position.arrow || !game.size) return;
  arrow.setAttribute("viewBox", `0 0 ${game.size[0]} ${game.size[1]}`);
  const [[x, y], [toX, toY]] = position.arrow.map(seen);
  const length = Math.hypot(toX - x, toY - y);
  if (!length) return;
  const thick = game.size[0] / 60;
  const [alongX, alongY] = [(toX - x) / length, (toY - y) / length];
  const head = Math.min(3.2 * thick, length / 2);
  const [baseX, baseY] = [toX - head * alongX, toY - head * alongY];
  const [sideX, sideY] = [-alongY * head * 0.6, alongX * head * 0.6];
  arrow.append(
    draw("line", { x1: x, y1: y, x2: baseX, y2: baseY, "stroke-width": thick }),
    draw("polygon", {
      points: `${toX},${toY} ${baseX + sideX},${baseY + sideY} ${baseX - sideX},${baseY - sideY}`,
    }),
  );
}

function badgeOf([mark, fill, ink], title) {
  const badge = make("span", mark, "seat");
  badge.style.background = fill;
  badge.style.color = ink;
  if (title) badge.title = title;
  return badge;
}

function clock(seconds) {
  const whole = Math.floor(seconds / 60);
  return whole ? `${whole}:${(seconds % 60).toFixed(0).padStart(2, "0")}` : `${seconds.toFixed(1)} s`;
}

function seatLine(seat, position) {
  const line = make("li");
  const moves = position.to_move === seat;
  line.classList.toggle("moving", moves);
  line.append(badgeOf(game.badges[seat], game.names[seat]), make("span", game.seats[seat], "who"));
  const spent = game.clocks ? game.clocks[at][seat] : null;
  if (position.beside) line.append(make("span", position.beside[seat], "beside"));
  if (spent !== null) line.append(make("span", clock(spent), "clock"));
  if (moves) line.append(make("span", "to move", "next"));
  return line;
}

function nameSeats(position) {
  const seats = game.seats.map((_, seat) => seat);
  const facing = seats.length === 2;
  const upper = facing ? [flipped ? 0 : 1] : [];
  find("above").replaceChildren(...upper.map((seat) => seatLine(seat, position)));
  find("below").replaceChildren(
    ...seats.filter((seat) => !upper.includes(seat)).map((seat) => seatLine(seat, position)),
  );
}

// --- the course of the game ----------------------------------------------------------------------

function drawGraph() {
  const graph = game.graph;
  find("course").hidden = !graph;
  if (!graph) return;
  find("label").textContent = `Course of the game: ${graph.label}`;
  const known = graph.lines.flatMap(([, values]) => values.filter((value) => value !== null));
  const [low, high] = [Math.min(0, ...known), Math.max(0, ...known)];
  const room = high - low || 1;
  const x = (k) => (600 * k) / Math.max(1, last);
  const y = (value) => 114 - (108 * (value - low)) / room;
  const parts = [draw("line", { x1: 0, x2: 600, y1: y(0), y2: y(0), class: "zero" })];
  for (const [seat, values] of graph.lines) {
    let path = "";
    let pen = "M";
    values.forEach((value, k) => {
      if (value === null) return;
      path += `${pen}${x(k).toFixed(1)} ${y(value).toFixed(1)}`;
      pen = "L";
    });
    const line = draw("path", { d: path, class: "course" });
    if (graph.lines.length > 1) line.style.stroke = game.badges[seat][1];
    parts.push(line);
  }
  parts.push(draw("line", { y1: 0, y2: 120, class: "now", id: "now" }));
  find("graph").replaceChildren(...parts);
  find("graph").setAttribute("aria-label", `${graph.label}, from ${low} to ${high}`);
}

function markGraph() {
  if (!game.graph) return;
  const x = (600 * at) / Math.max(1, last);
  find("now").setAttribute("x1", x);
  find("now").setAttribute("x2", x);
  const said = game.graph.lines
    .map(([, values]) => values[at])
    .filter((value) => value !== null && value !== undefined)
    .map((value) => signed(Math.round(value * 100) / 100));
  const now = said.length ? `; now ${said.join(", ")}` : "";
  find("label").textContent = `Course of the game: ${game.graph.label}${now}`;
}

// --- positions -----------------------------------------------------------------------------------

function show(to) {
  at = Math.min(Math.max(to, 0), last);
  const position = game.positions[at];
  find("heading").textContent = position.heading;
  find("chance").textContent = position.news.join(" ");
  const board = data.texts[position.board];
  const drawn = frames[at] !== null;
  find("stage").hidden = !drawn;
  find("words").hidden = drawn;
  find("spoken").hidden = !drawn;
  if (drawn) {
    find("picture").setAttribute("aria-label", `Board: ${position.heading}. Below it stands as text.`);
    paint();
    point(position);
  }
  find("words").textContent = drawn ? "" : board;
  find("text").textContent = board;
  nameSeats(position);
  const played = position.told || position.move || "";
  find("played").textContent = played;
  find("instead").textContent = position.instead;
  find("answers").replaceChildren(...position.answers
    .filter((answer) => answer.reply !== null || answer.prompt.length)
    .map((answer) => answerBlock(answer, position)));
  find("moves").replaceChildren(...legalBlock(position));
  find("result").hidden = at !== last || game.result === null;
  find("slider").value = String(at);
  find("slider").setAttribute("aria-valuetext", `${position.heading}. ${played}`);
  find("first").disabled = find("back").disabled = at === 0;
  find("next").disabled = find("last").disabled = at === last;
  for (const row of find("list").querySelectorAll("[aria-current]")) {
    row.removeAttribute("aria-current");
  }
  const row = find("list").querySelectorAll("button")[at];
  row.setAttribute("aria-current", "step");
  const list = find("list");
  // The list alone scrolls, not the page.
  list.scrollTop += row.getBoundingClientRect().top - list.getBoundingClientRect().top
    - list.clientHeight / 2;
  markGraph();
  note();
  if (at === last) pause();
}

// Put the game, the position and the filters into the address.
function note() {
  let place = at ? `#${at}` : "";
  if (many) {
    place = `#g${game.number}${at ? `.${at}` : ""}`;
    if (chosenFilters()) place += `&${chosenFilters()}`;
  }
  history.replaceState(null, "", place || location.pathname + location.search);
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

// --- games ---------------------------------------------------------------------------------------

function moveButton(position, k) {
  const button = make("button");
  button.type = "button";
  const bad = position.answers.filter((answer) => !answer.good).length;
  const columns = game.columns > 1;
  if (!columns) {
    if (game.whole) button.append(make("span", position.number ?? "", "number"));
    const name = game.names[position.seat];
    if (position.badge) button.append(badgeOf(position.badge, name && `${name}, ${position.policy}`));
  }
  const move = position.short ?? (position.seat === null ? position.heading : "nothing played");
  button.append(make("span", game.whole ? move : position.heading, "name"));
  if (position.instead) {
    button.classList.add("foreign");
    button.title = position.instead;
  }
  if (!game.whole) button.append(make("span", move, "told"));
  if (bad) {
    const mark = make("span", `✗${bad > 1 ? bad : ""}`, "mark");
    mark.title = `${bad} bad ${bad === 1 ? "answer" : "answers"}`;
    button.append(mark);
  }
  button.addEventListener("click", () => go(k));
  return button;
}

// A score sheet: a line a round where the seats move in turn, else a line a move.
function listMoves() {
  const list = find("list");
  list.className = game.columns > 1 ? "sheet" : "";
  list.style.setProperty("--columns", game.columns);
  list.replaceChildren();
  let row = null;
  if (game.columns > 1) {
    const head = make("li", null, "head");
    head.append(make("span", "", "number"));
    game.names.forEach((name, seat) => {
      const cell = make("span");
      cell.append(badgeOf(game.badges[seat], name), ` ${name === game.badges[seat][0] ? "" : name}`);
      head.append(cell);
    });
    list.append(head);
  }
  game.positions.forEach((position, k) => {
    const inSheet = game.columns > 1 && position.number !== null;
    const column = inSheet ? (position.number - 1) % game.columns : 0;
    if (!inSheet || column === 0) {
      row = make("li", null, inSheet || game.columns === 1 ? "" : "end");
      if (inSheet) row.append(make("span", `${(position.number - 1) / game.columns + 1}.`, "number"));
      list.append(row);
    }
    row.append(moveButton(position, k));
  });
  if (game.outcome) list.append(make("li", game.outcome, "outcome"));
}

function open(number, to) {
  pause();
  game = data.games[number];
  last = game.positions.length - 1;
  frames = framesOf(game.positions);
  flipped = false;
  const title = [game.title, game.outcome].filter(Boolean).join(" – ");
  document.title = title;
  find("title").textContent = game.title;
  find("outcome").textContent = game.outcome;
  find("facts").replaceChildren(...game.facts.flatMap(([name, value]) => [
    make("dt", name), make("dd", value),
  ]));
  const wrong = game.problems.length > 0;
  find("verdict").className = wrong ? "wrong" : "right";
  find("verdict").textContent = wrong
    ? `The record does not agree with the rules. ${game.problems.join(" ")}` : game.agrees;
  find("result").replaceChildren();
  if (game.result !== null) {
    find("result").append(make("h3", "Returns"));
    const list = make("ul");
    for (const [seat, policy, value] of game.result) {
      const item = make("li", `${game.names[seat]}, ${policy} `);
      item.append(make("b", signed(Math.round(value * 1000) / 1000)));
      list.append(item);
    }
    find("result").append(list);
  }
  find("chance").hidden = !game.positions.some((position) => position.news.length);
  find("flip").hidden = !game.cuts;
  find("flip").setAttribute("aria-pressed", "false");
  document.body.classList.toggle("wide", Boolean(game.size) && game.size[0] > 1.2 * game.size[1]);
  const quiet = game.positions.every(({ answers, legal }) => !answers.length && !legal.length);
  document.body.classList.toggle("quiet", quiet);
  find("slider").max = String(last);
  listMoves();
  drawGraph();
  show(to);
  if (many) {
    activate(fitting.findIndex((row) => row.number === game.number));
    nameGame();
  }
}

// Where the address says: #g12.34 is position 34 of game 12, #34 that of the only game. Filters
// come behind it, or alone: then the first game that fits is opened.
function openPlace() {
  const [, number, place, rest] = /^#?(?:g(\d+)\.?)?(\d*)(?:&|$)?(.*)$/s.exec(location.hash);
  if (many) {
    readFilters(rest);
    fitting = listed.filter(fits);
    if (number === undefined || rest) find("finder").open = true;
  }
  const asked = places.get(Number(number));
  const first = fitting.find((row) => places.has(row.number));
  open(asked ?? (first ? places.get(first.number) : 0), Number(place) || 0);
  if (many) filter();
}

startFinder();
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
find("flip").addEventListener("click", () => {
  flipped = !flipped;
  find("flip").setAttribute("aria-pressed", String(flipped));
  show(at);
});
find("graph").addEventListener("click", (event) => {
  const box = find("graph").getBoundingClientRect();
  go(Math.round((last * (event.clientX - box.left)) / box.width));
});
window.addEventListener("hashchange", openPlace);
document.addEventListener("keydown", (event) => {
  const inControl = event.target.closest && event.target.closest("input, select, [role=listbox]");
  if (event.altKey || event.ctrlKey || event.metaKey || inControl) return;
  const keys = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last };
  const games = { n: 1, p: -1 };
  if (event.key in keys) {
    event.preventDefault();
    go(keys[event.key]);
  } else if (event.key in games) {
    const to = many ? nextPlace(games[event.key]) : undefined;
    if (to !== undefined) open(to, 0);
  } else if (event.key === "f" && game.cuts) {
    find("flip").click();
  } else if (event.key === "g" && many) {
    find("finder").open = true;
    find("found").focus();
  } else if (event.key === " " && event.target === document.body) {
    event.preventDefault();
    find("play").click();
  }
});
if (data.sheet) {
  const picture = new Image();
  picture.addEventListener("load", () => {
    sheet = picture;
    paint();
  });
  picture.src = data.sheet;
}
openPlace();
