// Sentiment over time, drawn by uPlot from what the page holds as data.
for (const place of document.querySelectorAll("[data-plot]")) {
  const points = JSON.parse(document.getElementById(place.dataset.plot).textContent);
  const style = getComputedStyle(document.documentElement);
  const ink = style.getPropertyValue("--soft").trim();
  const line = style.getPropertyValue("--line").trim();
  const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line } };
  const plot = new uPlot({
    width: place.clientWidth, height: 220, legend: { show: false }, cursor: { y: false },
    scales: { y: { range: [-1, 1] } }, axes: [axis, axis],
    series: [{}, { stroke: style.getPropertyValue("--accent").trim(), width: 2, points: { show: true, size: 7 } }],
  }, points, place);
  addEventListener("resize", () => plot.setSize({ width: place.clientWidth, height: 220 }));
}
