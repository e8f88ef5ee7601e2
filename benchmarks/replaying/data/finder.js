// --- the list of all games, and what it is filtered by -------------------------------------------

const ROW = 30;
const RESULTS = { w: "won", d: "drawn", l: "lost" };
const ENDINGS = { forfeit: "by forfeit", truncated: "by a limit of the rules", transport: "broken off" };
const listed = data.listing ? data.listing.rows : [];
const places = new Map(data.games.map((one, k) => [one.number, k]));
const filters = {
  policy: { title: "Policy", chosen: new Set() },
  result: { title: "Result", chosen: new Set() },
  answer: { title: "Answers", chosen: new Set() },
  game: { title: "Game", chosen: new Set() },
};
let fitting = listed;
let active = 0;

// Seats of a game that the chosen policies have; all where none is chosen.
function seatsOf(row) {
  const { chosen } = filters.policy;
  const seats = row.seats.map((_, seat) => seat);
  return chosen.size ? seats.filter((k) => chosen.has(data.listing.policies[row.seats[k]])) : seats;
}

function resultsOf(row, seats) {
  const found = new Set(seats.map((seat) => RESULTS[row.results[seat]]));
  found.add(ENDINGS[row.ended]);
  return found;
}

function answersOf(row, seats) {
  return new Set(seats.flatMap((seat) => Object.keys(row.answers[seat] ?? {})));
}

const any = (chosen, found) => !chosen.size || [...chosen].some((name) => found.has(name));

function fits(row) {
  const seats = seatsOf(row);
  const policies = new Set(row.seats.map((k) => data.listing.policies[k]));
  return [...filters.policy.chosen].every((name) => policies.has(name))
    && any(filters.result.chosen, resultsOf(row, seats))
    && any(filters.answer.chosen, answersOf(row, seats))
    && any(filters.game.chosen, new Set([row.game]))
    && row.match.startsWith(find("match").value)
    && (!find("held").checked || places.has(row.number));
}

// What can be chosen, and in how many games it occurs.
function choices() {
  const counts = { policy: new Map(), result: new Map(), answer: new Map(), game: new Map() };
  const add = (kind, names) => {
    for (const name of new Set(names)) {
      if (name) counts[kind].set(name, (counts[kind].get(name) ?? 0) + 1);
    }
  };
  for (const row of listed) {
    const seats = row.seats.map((_, seat) => seat);
    add("policy", row.seats.map((k) => data.listing.policies[k]));
    add("result", resultsOf(row, seats));
    add("answer", answersOf(row, seats));
    add("game", [row.game]);
  }
  return counts;
}

function makeFilters() {
  for (const [kind, counts] of Object.entries(choices())) {
    const { title, chosen } = filters[kind];
    if (counts.size < (kind === "answer" || kind === "result" ? 1 : 2)) continue;
    const group = make("div", null, "filter");
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", title);
    group.append(make("span", title, "title"));
    for (const [name, count] of counts) {
      const chip = make("button", name, "chip");
      chip.type = "button";
      chip.dataset.kind = kind;
      chip.dataset.name = name;
      chip.append(make("small", ` ${count}`));
      chip.addEventListener("click", () => {
        if (!chosen.delete(name)) chosen.add(name);
        filter();
      });
      group.append(chip);
    }
    find("filters").append(group);
  }
}

function filter() {
  fitting = listed.filter(fits);
  active = Math.max(0, fitting.findIndex((row) => row.number === game.number));
  for (const chip of find("filters").querySelectorAll(".chip")) {
    const on = filters[chip.dataset.kind].chosen.has(chip.dataset.name);
    chip.setAttribute("aria-pressed", String(on));
  }
  const held = fitting.filter((row) => places.has(row.number)).length;
  const which = held === fitting.length ? "" : `, ${held} of them on this page`;
  find("matching").textContent = `${fitting.length} of ${listed.length} match${which}`;
  find("clear").hidden = fitting.length === listed.length;
  find("absent").textContent = "";
  find("found").scrollTop = Math.max(0, (active - 2) * ROW);
  drawRows();
  nameGame();
  note();
}

// The filters as the address has them behind the game.
function chosenFilters() {
  const said = new URLSearchParams();
  for (const [kind, { chosen }] of Object.entries(filters)) {
    for (const name of chosen) said.append(kind, name);
  }
  if (find("match").value) said.append("match", find("match").value);
  return said.toString();
}

function readFilters(text) {
  const said = new URLSearchParams(text);
  for (const [kind, { chosen }] of Object.entries(filters)) {
    chosen.clear();
    for (const name of said.getAll(kind)) chosen.add(name);
  }
  find("match").value = said.get("match") ?? "";
}

function rowOf(row, k) {
  const line = make("div", null, "row");
  line.id = `row${k}`;
  line.setAttribute("role", "option");
  line.setAttribute("aria-posinset", String(k + 1));
  line.setAttribute("aria-setsize", String(fitting.length));
  line.setAttribute("aria-selected", String(row.number === game.number));
  line.classList.toggle("active", k === active);
  line.classList.toggle("away", !places.has(row.number));
  line.style.top = `${k * ROW}px`;
  const bad = new Map();
  for (const own of Object.values(row.answers)) {
    for (const [kind, count] of Object.entries(own)) {
      if (kind !== "ok") bad.set(kind, (bad.get(kind) ?? 0) + count);
    }
  }
  const names = row.seats.map((seat) => data.listing.policies[seat]).join(" – ");
  const title = filters.game.shown ? `${row.game}: ${names}` : names;
  const cells = [
    ["number", row.number],
    ["who", title],
    ["ending", row.outcome],
    ["length", row.moves === 1 ? "1 move" : `${row.moves} moves`],
    ["bad", [...bad].map(([kind, count]) => `${count} ${kind}`).join(", ")],
  ];
  for (const [kind, text] of cells) line.append(make("span", text, kind));
  line.title = places.has(row.number) ? row.match : `${row.match}, not on this page`;
  line.addEventListener("click", () => {
    active = k;
    choose();
  });
  return line;
}

// Only the rows in sight are there.
function drawRows() {
  const list = find("found");
  find("room").style.height = `${fitting.length * ROW}px`;
  const first = Math.max(0, Math.floor(list.scrollTop / ROW) - 8);
  const end = Math.min(fitting.length, Math.ceil((list.scrollTop + list.clientHeight) / ROW) + 8);
  const rows = [];
  for (let k = first; k < end; k += 1) rows.push(rowOf(fitting[k], k));
  find("room").replaceChildren(...rows);
  if (fitting.length) list.setAttribute("aria-activedescendant", `row${active}`);
  else list.removeAttribute("aria-activedescendant");
}

function choose() {
  const row = fitting[active];
  if (!row) return;
  const place = places.get(row.number);
  find("absent").textContent = place === undefined
    ? `Game ${row.number} is not on this page. This command draws it: `
      + data.listing.command.replace("NUMBER", row.number) : "";
  if (place === undefined) drawRows();
  else open(place, 0);
}

function activate(to) {
  const list = find("found");
  active = Math.min(Math.max(to, 0), fitting.length - 1);
  const top = active * ROW;
  if (top < list.scrollTop) list.scrollTop = top;
  if (top + ROW > list.scrollTop + list.clientHeight) list.scrollTop = top + ROW - list.clientHeight;
  drawRows();
}

// The next game in the list that the page holds, forwards or backwards; undefined at the end.
function nextPlace(step) {
  let k = fitting.findIndex((row) => row.number === game.number);
  if (k < 0) k = step > 0 ? -1 : fitting.length;
  for (k += step; k >= 0 && k < fitting.length; k += step) {
    if (places.has(fitting[k].number)) return places.get(fitting[k].number);
  }
  return undefined;
}

function nameGame() {
  find("of").textContent = `Game ${game.number} of ${listed.length}`;
  find("before").disabled = nextPlace(-1) === undefined;
  find("after").disabled = nextPlace(1) === undefined;
}

function startFinder() {
  find("games").hidden = find("finder").hidden = !many;
  if (!many) return;
  find("note").textContent = data.note;
  filters.game.shown = new Set(listed.map((row) => row.game)).size > 1;
  find("holding").hidden = listed.length === data.games.length;
  makeFilters();
  find("before").addEventListener("click", () => open(nextPlace(-1), 0));
  find("after").addEventListener("click", () => open(nextPlace(1), 0));
  find("match").addEventListener("input", filter);
  find("held").addEventListener("change", filter);
  find("clear").addEventListener("click", () => {
    readFilters("");
    find("held").checked = false;
    filter();
    find("found").focus();
  });
  find("finder").addEventListener("toggle", () => activate(active));
  find("found").addEventListener("scroll", drawRows);
  find("found").addEventListener("keydown", (event) => {
    const page = Math.max(1, Math.floor(find("found").clientHeight / ROW) - 1);
    const keys = {
      ArrowUp: active - 1, ArrowDown: active + 1, PageUp: active - page, PageDown: active + page,
      Home: 0, End: fitting.length - 1,
    };
    if (event.key in keys) activate(keys[event.key]);
    else if (event.key === "Enter" || event.key === " ") choose();
    else return;
    event.preventDefault();
  });
}
