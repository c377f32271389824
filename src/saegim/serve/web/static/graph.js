// The knowledge graph, drawn by sigma; where its points lie is computed beside it (layout.js), so that
// thousands of them stay smooth.
const place = document.getElementById("graph");
const style = getComputedStyle(document.documentElement);
const colour = (name) => style.getPropertyValue(`--${name}`).trim();
const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;

// Where every point lies is computed by a script of its own; here it is only shown.
function laid(graph, tell) {
  const keys = graph.nodes(), many = keys.length > 1500, rounds = many ? 90 : 160;
  const index = new Map(keys.map((key, n) => [key, n]));
  const ties = Int32Array.from(graph.mapEdges((_, __, from, to) => [index.get(from), index.get(to)]).flat());
  const worker = new Worker(place.dataset.layout);
  worker.onmessage = ({ data: { x, y, settled } }) => {
    graph.updateEachNodeAttributes((key, held) => {
      const n = index.get(key);
      held.x = x[n]; held.y = y[n];
      return held;
    }, { attributes: ["x", "y"] });
    tell();
    if (settled) { worker.terminate(); place.dataset.settled = "yes"; }
  };
  // Thousands are told three times on the way, the first time soon, fewer so often that they are seen moving.
  worker.postMessage({ count: keys.length, ties, rounds, first: calm ? rounds : many ? 8 : 24, step: many ? 41 : 4 });
}

// What a point is, told in words beside the drawing; the same by keyboard from the search field.
function tell(graph, key) {
  const held = graph.getNodeAttributes(key);
  const card = document.getElementById("graph-card");
  const entity = held.kind === "entity";
  card.querySelector("[data-name]").textContent = held.label;
  card.querySelector("[data-open]").href = entity
    ? `/about/entity?key=${encodeURIComponent(key)}` : `/memories/${encodeURIComponent(key)}`;
  card.querySelector("[data-around]").href = `/about/graph?center=${encodeURIComponent(key)}`;
  const list = card.querySelector("[data-near]");
  list.replaceChildren(...graph.neighbors(key).slice(0, 12).map((other) => {
    const line = document.createElement("li"), button = document.createElement("button");
    button.type = "button"; button.className = "quiet"; button.dataset.go = other;
    button.textContent = graph.getNodeAttribute(other, "label");
    line.append(button);
    return line;
  }));
  card.hidden = false;
}

async function draw() {
  const answer = await fetch(place.dataset.from, { headers: { Accept: "application/json" } });
  const told = await answer.json();
  const graph = new graphology.Graph({ multi: true });
  for (const each of told.nodes) {
    graph.addNode(each.key, {
      label: each.label, kind: each.kind, x: 0, y: 0, size: each.kind === "entity" ? 8 : 3 + 7 * each.size,
      color: each.kind === "entity" ? colour("accent") : colour(each.feeling || "neutral"),
    });
  }
  for (const each of told.edges) {
    if (graph.hasNode(each.from) && graph.hasNode(each.to)) {
      graph.addEdge(each.from, each.to, { size: 1, color: each.negative ? colour("anger") : colour("tie") });
    }
  }
  const count = document.getElementById("graph-count");
  count.textContent = count.dataset.said.replace("{nodes}", graph.order.toLocaleString()).replace("{ties}", graph.size.toLocaleString());
  const wait = document.getElementById("graph-wait");
  if (!graph.order) {
    wait.hidden = place.hidden = true;
    document.querySelector(".graph-tools").hidden = true;
    count.hidden = true;
    document.getElementById("graph-empty").hidden = false;
    return;
  }
  // Few names on a wide drawing are all written; otherwise only those that have room.
  const roomy = graph.order <= 120 && place.clientWidth > 640;
  graph.forEachNode((key, held) => {
    if (held.kind !== "entity") return;
    graph.mergeNodeAttributes(key, { size: 5 + Math.min(7, Math.sqrt(graph.degree(key))), forceLabel: roomy });
  });
  let chosen = told.center || null;
  await new Promise((first) => laid(graph, first));
  wait.hidden = true;
  place.setAttribute("aria-busy", "false");
  const drawn = new Sigma(graph, place, {
    labelColor: { color: colour("ink") }, labelSize: 13, labelFont: style.getPropertyValue("--text"),
    labelRenderedSizeThreshold: 7, labelDensity: 0.5, hideEdgesOnMove: graph.size > 4000,
    zIndex: true, defaultDrawNodeHover: () => {},
    nodeReducer: (key, held) => {
      if (!chosen || key === chosen || graph.areNeighbors(key, chosen)) return key === chosen ? { ...held, forceLabel: true, zIndex: 2 } : held;
      return { ...held, color: colour("line"), label: "" };
    },
    edgeReducer: (edge, held) => !chosen || graph.extremities(edge).includes(chosen) ? { ...held, color: chosen ? colour("soft") : held.color } : { ...held, hidden: true },
  });
  const go = (key) => {
    chosen = key;
    tell(graph, key);
    const at = drawn.getNodeDisplayData(key);
    if (at) drawn.getCamera().animate({ x: at.x, y: at.y, ratio: Math.min(0.5, drawn.getCamera().ratio) }, { duration: calm ? 0 : 350 });
    drawn.refresh();
  };
  drawn.on("clickNode", ({ node }) => go(node));
  drawn.on("clickStage", () => { chosen = null; document.getElementById("graph-card").hidden = true; drawn.refresh(); });
  document.addEventListener("click", (event) => {
    const next = event.target.closest("[data-go]");
    if (next) go(next.dataset.go);
  });
  const find = document.getElementById("graph-find");
  const names = new Map();
  graph.forEachNode((key, held) => { if (!names.has(held.label)) names.set(held.label, key); });
  find.querySelector("datalist").replaceChildren(...[...names.keys()].slice(0, 400).map((name) => new Option(name, name)));
  find.addEventListener("submit", (event) => {
    event.preventDefault();
    const wanted = find.querySelector("input").value.trim().toLowerCase();
    const key = wanted && (names.get(find.querySelector("input").value.trim())
      ?? [...names].find(([name]) => name.toLowerCase().includes(wanted))?.[1]);
    if (key) go(key);
  });
  if (chosen && graph.hasNode(chosen)) tell(graph, chosen);
  place.dataset.drawn = String(graph.order);
}

draw();
