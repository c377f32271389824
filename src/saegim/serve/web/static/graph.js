// The knowledge graph, drawn by sigma. The layout is a plain spring model, the same every time; it
// settles a few rounds a frame, so that thousands of points stay smooth.
const place = document.getElementById("graph");
const style = getComputedStyle(document.documentElement);
const colour = (name) => style.getPropertyValue(`--${name}`).trim();
const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
const REACH = 9;

function springs(graph) {
  const keys = graph.nodes();
  const count = keys.length;
  const x = new Float64Array(count), y = new Float64Array(count);
  const px = new Float64Array(count), py = new Float64Array(count);
  for (let n = 0; n < count; n++) {
    const turn = n * 2.399963, far = 2.2 * Math.sqrt(n + 1);
    x[n] = Math.cos(turn) * far; y[n] = Math.sin(turn) * far;
  }
  const index = new Map(keys.map((key, n) => [key, n]));
  const ties = graph.mapEdges((_, __, from, to) => [index.get(from), index.get(to)]);
  const degree = new Float64Array(count);
  for (const [one, two] of ties) { degree[one]++; degree[two]++; }

  // Only what is near pushes: points lie in cells as wide as the reach, and look at nine of them.
  function push() {
    const cells = new Map();
    const cell = (n) => Math.floor(x[n] / REACH) * 65_537 + Math.floor(y[n] / REACH);
    for (let n = 0; n < count; n++) {
      const at = cell(n);
      if (cells.has(at)) cells.get(at).push(n); else cells.set(at, [n]);
    }
    for (let n = 0; n < count; n++) {
      const cx = Math.floor(x[n] / REACH), cy = Math.floor(y[n] / REACH);
      for (let i = -1; i <= 1; i++) for (let j = -1; j <= 1; j++) {
        for (const m of cells.get((cx + i) * 65_537 + cy + j) ?? []) {
          if (m <= n) continue;
          const dx = x[n] - x[m], dy = y[n] - y[m], d = dx * dx + dy * dy + 0.02;
          if (d > REACH * REACH) continue;
          const f = 3.2 / d;
          px[n] += dx * f; py[n] += dy * f; px[m] -= dx * f; py[m] -= dy * f;
        }
      }
    }
  }
  function round(heat) {
    px.fill(0); py.fill(0);
    push();
    for (const [one, two] of ties) {
      const dx = x[one] - x[two], dy = y[one] - y[two];
      const pull = 0.14 / Math.sqrt(Math.max(1, Math.min(degree[one], degree[two])));
      px[one] -= dx * pull; py[one] -= dy * pull; px[two] += dx * pull; py[two] += dy * pull;
    }
    for (let n = 0; n < count; n++) {
      const length = Math.hypot(px[n], py[n]) || 1, step = Math.min(length, heat) / length;
      x[n] += px[n] * step - x[n] * 0.01; y[n] += py[n] * step - y[n] * 0.01;
    }
  }
  const show = () => graph.updateEachNodeAttributes((key, held) => {
    const n = index.get(key);
    held.x = x[n]; held.y = y[n];
    return held;
  }, { attributes: ["x", "y"] });
  return { round, show, rounds: count > 1500 ? 90 : 160 };
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
      graph.addEdge(each.from, each.to, { size: 1, color: each.negative ? colour("anger") : colour("line") });
    }
  }
  place.setAttribute("aria-busy", "false");
  const count = document.getElementById("graph-count");
  count.textContent = count.dataset.said.replace("{nodes}", graph.order.toLocaleString()).replace("{ties}", graph.size.toLocaleString());
  if (!graph.order) {
    place.hidden = true;
    document.getElementById("graph-find").hidden = true;
    document.getElementById("graph-empty").hidden = false;
    return;
  }
  graph.forEachNode((key, held) => {
    if (held.kind === "entity") graph.setNodeAttribute(key, "size", 5 + Math.min(7, Math.sqrt(graph.degree(key))));
  });
  const laid = springs(graph);
  let done = 0;
  for (; done < (calm ? laid.rounds : 24); done++) laid.round(2.4 * (1 - done / laid.rounds) + 0.02);
  laid.show();
  let chosen = told.center || null;
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
  const settle = () => {
    const until = Math.min(laid.rounds, done + (graph.order > 1500 ? 1 : 4));
    for (; done < until; done++) laid.round(2.4 * (1 - done / laid.rounds) + 0.02);
    laid.show();
    if (done < laid.rounds) requestAnimationFrame(settle); else place.dataset.settled = "yes";
  };
  if (done < laid.rounds) requestAnimationFrame(settle); else place.dataset.settled = "yes";
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
