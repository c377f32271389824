// Where the points of the graph lie: a plain spring model, the same every time. It is computed beside
// the page, which meanwhile can be moved and read; it tells where it is a few times on the way.
const REACH = 9;

onmessage = ({ data: { count, ties, rounds, first, step } }) => {
  const x = new Float64Array(count), y = new Float64Array(count);
  const px = new Float64Array(count), py = new Float64Array(count);
  for (let n = 0; n < count; n++) {
    const turn = n * 2.399963, far = 2.2 * Math.sqrt(n + 1);
    x[n] = Math.cos(turn) * far; y[n] = Math.sin(turn) * far;
  }
  const degree = new Float64Array(count);
  for (const one of ties) degree[one]++;

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
    for (let at = 0; at < ties.length; at += 2) {
      const one = ties[at], two = ties[at + 1];
      const dx = x[one] - x[two], dy = y[one] - y[two];
      const pull = 0.14 / Math.sqrt(Math.max(1, Math.min(degree[one], degree[two])));
      px[one] -= dx * pull; py[one] -= dy * pull; px[two] += dx * pull; py[two] += dy * pull;
    }
    for (let n = 0; n < count; n++) {
      const length = Math.hypot(px[n], py[n]) || 1, step = Math.min(length, heat) / length;
      x[n] += px[n] * step - x[n] * 0.01; y[n] += py[n] * step - y[n] * 0.01;
    }
  }
  for (let done = 1; done <= rounds; done++) {
    round(2.4 * (1 - (done - 1) / rounds) + 0.02);
    if (done === rounds || (done >= first && (done - first) % step === 0)) {
      postMessage({ x: x.slice(), y: y.slice(), settled: done === rounds });
    }
  }
};
