// The knowledge graph, drawn by sigma; the layout is a plain spring model, the same every time.
const place = document.getElementById("graph");
const style = getComputedStyle(document.documentElement);
const colour = (name) => style.getPropertyValue(`--${name}`).trim();

function layout(graph) {
  const keys = graph.nodes();
  const at = keys.map((_, n) => {
    const turn = n * 2.399963;
    const far = Math.sqrt(n + 1);
    return [Math.cos(turn) * far, Math.sin(turn) * far];
  });
  const index = new Map(keys.map((key, n) => [key, n]));
  const ties = graph.mapEdges((_, __, from, to) => [index.get(from), index.get(to)]);
  const rounds = Math.max(4, Math.min(140, Math.floor(3e7 / (keys.length * keys.length + 1))));
  for (let round = 0; round < rounds; round++) {
    const heat = 1.2 * (1 - round / rounds) + 0.02;
    const push = keys.map(() => [0, 0]);
    for (let one = 0; one < keys.length; one++) {
      for (let two = one + 1; two < keys.length; two++) {
        const dx = at[one][0] - at[two][0], dy = at[one][1] - at[two][1];
        const near = dx * dx + dy * dy + 0.01;
        if (near > 900) continue;
        push[one][0] += dx * 2 / near; push[one][1] += dy * 2 / near;
        push[two][0] -= dx * 2 / near; push[two][1] -= dy * 2 / near;
      }
    }
    for (const [one, two] of ties) {
      const dx = at[one][0] - at[two][0], dy = at[one][1] - at[two][1];
      push[one][0] -= dx * 0.12; push[one][1] -= dy * 0.12;
      push[two][0] += dx * 0.12; push[two][1] += dy * 0.12;
    }
    for (let one = 0; one < keys.length; one++) {
      const length = Math.hypot(...push[one]) || 1;
      const step = Math.min(length, heat) / length;
      at[one][0] += push[one][0] * step - at[one][0] * 0.012;
      at[one][1] += push[one][1] * step - at[one][1] * 0.012;
    }
  }
  keys.forEach((key, n) => graph.mergeNodeAttributes(key, { x: at[n][0], y: at[n][1] }));
}

async function draw() {
  const answer = await fetch(place.dataset.from, { headers: { Accept: "application/json" } });
  const told = await answer.json();
  const graph = new graphology.Graph({ multi: true });
  for (const each of told.nodes) {
    graph.addNode(each.key, {
      label: each.label, size: each.kind === "entity" ? 9 : 3 + 8 * each.size,
      color: each.kind === "entity" ? colour("accent") : colour(each.feeling || "neutral"),
    });
  }
  for (const each of told.edges) {
    if (graph.hasNode(each.from) && graph.hasNode(each.to)) {
      graph.addEdge(each.from, each.to, { size: 1, color: each.negative ? colour("anger") : colour("neutral") });
    }
  }
  place.setAttribute("aria-busy", "false");
  document.getElementById("graph-count").textContent = `${graph.order} · ${graph.size}`;
  if (!graph.order) { place.hidden = true; document.getElementById("graph-empty").hidden = false; return; }
  layout(graph);
  const drawn = new Sigma(graph, place, {
    labelColor: { color: colour("ink") }, labelSize: 13, labelFont: style.getPropertyValue("--text"),
    labelRenderedSizeThreshold: 7, labelDensity: 0.6, defaultDrawNodeHover: () => {},
  });
  drawn.on("clickNode", ({ node }) => {
    const entity = node.startsWith("entity:");
    location.href = entity ? `/about/entity?key=${encodeURIComponent(node)}` : `/memories/${encodeURIComponent(node)}`;
  });
  place.dataset.drawn = String(graph.order);
}

draw();
