// Small behaviours of the pages; everything works without them, only slower.

// Search while typing, but never while a Hangul syllable is still being put together.
const WAIT = 160;
let composing = false;
let timer = 0;

function settled(field) {
  clearTimeout(timer);
  timer = setTimeout(() => {
    if (!composing) field.form.dispatchEvent(new CustomEvent("settled"));
  }, WAIT);
}

document.addEventListener("compositionstart", () => { composing = true; });
document.addEventListener("compositionend", (event) => {
  composing = false;
  if (event.target.matches("[data-search]")) settled(event.target);
});
document.addEventListener("input", (event) => {
  if (event.target.matches("[data-search]") && !event.isComposing && !composing) settled(event.target);
});
document.addEventListener("change", (event) => {
  if (event.target.matches("[data-filter]")) event.target.form.dispatchEvent(new CustomEvent("settled"));
  if (event.target.matches("[data-pick]")) picked();
});
document.addEventListener("keydown", (event) => {
  // Enter ends a syllable; it does not send the form.
  if (event.key === "Enter" && event.isComposing) event.preventDefault();
  if (event.key === "/" && !event.target.closest("input, textarea, select")) {
    const field = document.querySelector("[data-search]");
    if (field) { event.preventDefault(); field.focus(); }
  }
});

// Several memories at once.
function picked() {
  const count = document.querySelectorAll("[data-pick]:checked").length;
  const bar = document.getElementById("bulk");
  if (!bar) return;
  bar.hidden = count === 0;
  bar.querySelector("[data-count]").textContent = String(count);
}
document.addEventListener("click", async (event) => {
  const all = event.target.closest("[data-pick-all]");
  if (all) {
    await Promise.all([...document.querySelectorAll("[data-chunk]:empty")].map(refill));
    for (const each of document.querySelectorAll("[data-pick]")) each.checked = all.dataset.pickAll === "yes";
    picked();
  }
  const copy = event.target.closest("[data-copy]");
  if (copy) navigator.clipboard?.writeText(document.getElementById(copy.dataset.copy).textContent);
});

// A yes that cannot be given by accident: press and hold, or type the word.
const HOLD = 1200;
for (const button of document.querySelectorAll("[data-hold]")) {
  let held = 0;
  const word = button.form.querySelector("[name=word]");
  const begin = () => {
    button.classList.add("held");
    held = setTimeout(() => { word.value = button.dataset.hold; button.form.requestSubmit(button); }, HOLD);
  };
  const stop = () => { clearTimeout(held); button.classList.remove("held"); };
  button.addEventListener("pointerdown", begin);
  button.addEventListener("pointerup", stop);
  button.addEventListener("pointerleave", stop);
  button.addEventListener("keydown", (event) => { if (event.key === " " && !event.repeat) begin(); });
  button.addEventListener("keyup", stop);
  button.form.addEventListener("submit", (event) => {
    if (event.submitter === button && !word.value.trim()) { event.preventDefault(); word.focus(); }
    // Letting go is a click of its own: once the answer is on its way, it says nothing more.
    else setTimeout(() => { button.disabled = true; });
  });
}

// What another process writes appears by itself where nobody is in the middle of something;
// otherwise it is announced, and shown when the person wants it.
const pulse = document.querySelector("[data-pulse]");
const busy = () => scrollY > 300 || document.querySelector("[data-pick]:checked, [data-live] details[open]")
  || document.activeElement?.closest("[data-live] input, [data-live] textarea");
async function freshen() {
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!answer.ok || busy()) return false;
  const told = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const place of document.querySelectorAll("[data-live]")) {
    const news = told.getElementById(place.id);
    if (!news) return false;
    place.replaceChildren(...news.childNodes);
    htmx.process(place);
    attend(place);
  }
  return true;
}
if (pulse) {
  let seen = null;
  const look = async () => {
    if (document.hidden) return;
    try {
      const answer = await fetch("/pulse", { headers: { Accept: "application/json" } });
      if (!answer.ok) return;
      const { ledger } = await answer.json();
      if (seen === null) seen = ledger;
      else if (ledger !== seen) {
        seen = ledger;
        const shown = document.querySelector("[data-live]") && !busy() && await freshen();
        pulse.hidden = Boolean(shown);
      }
    } catch { /* the server is away; the next look may find it */ }
  };
  look();
  setInterval(look, Number(pulse.dataset.pulse));
  pulse.addEventListener("click", () => location.reload());
}

// A long list holds only what is near: a page of it that is far away is emptied, keeps its height,
// and is fetched again when it comes near. What is chosen stays.
const near = new IntersectionObserver((seen) => {
  for (const { target, isIntersecting } of seen) {
    if (!isIntersecting && target.children.length && !target.querySelector(":checked") && target.offsetHeight) {
      target.style.height = `${target.offsetHeight}px`;
      target.replaceChildren();
      target.dataset.away = "yes";
    } else if (isIntersecting && target.dataset.away) {
      refill(target);
    }
  }
}, { rootMargin: "2500px 0px" });
const filling = new WeakMap();
function refill(chunk) {
  if (!filling.has(chunk)) filling.set(chunk, fetched(chunk).finally(() => filling.delete(chunk)));
  return filling.get(chunk);
}
async function fetched(chunk) {
  delete chunk.dataset.away;
  try {
    const answer = await fetch(chunk.dataset.chunk, { headers: { "HX-Request": "true" } });
    const told = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-chunk]");
    chunk.replaceChildren(...told.childNodes);
    chunk.style.height = "";
  } catch { chunk.dataset.away = "yes"; }
}
function attend(place) {
  for (const each of place.querySelectorAll("[data-chunk]")) near.observe(each);
}
attend(document);
document.addEventListener("htmx:load", (event) => attend(event.detail.elt.parentElement ?? document));

// What is written into a form is kept until the server said that it has it, also if it goes away.
const SENT = "draft sent";
const sent = sessionStorage.getItem(SENT);
if (sent !== null) {
  sessionStorage.removeItem(SENT);
  if (document.querySelector(".notice:not(.wrong)")) sessionStorage.removeItem(sent);
}
for (const field of document.querySelectorAll("[data-draft]")) {
  const key = `draft ${field.form.getAttribute("action")} ${field.name}`;
  if (field.matches("[data-unsaved]")) sessionStorage.setItem(key, field.value);
  const kept = sessionStorage.getItem(key);
  if (kept !== null && kept !== field.value) field.value = kept;
  field.addEventListener("input", () => sessionStorage.setItem(key, field.value));
  field.form.addEventListener("submit", () => sessionStorage.setItem(SENT, key));
}

// A search changes the address: what leads back to it, or on to another view of it, follows.
document.addEventListener("htmx:pushedIntoHistory", () => {
  for (const field of document.querySelectorAll("[data-here]")) field.value = location.pathname + location.search;
  for (const link of document.querySelectorAll("[data-view]")) {
    const to = new URL(location.href);
    to.searchParams.set("view", link.dataset.view);
    link.href = to;
  }
});

document.addEventListener("htmx:configRequest", (event) => {
  event.detail.headers["Saegim-Form"] = document.querySelector("meta[name=form]")?.content ?? "";
});
document.addEventListener("htmx:beforeSwap", (event) => {
  // What went wrong is told in the place of what was asked for.
  if (event.detail.xhr.status >= 400) { event.detail.shouldSwap = true; event.detail.isError = false; }
});

document.querySelector(".nav [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });

// A file comes in pieces: no request is large, and its sender sees how far it is.
const PIECE = 384 * 1024;
async function bring(field) {
  const file = field.files[0];
  const state = document.getElementById("bring-state");
  const far = document.querySelector("[data-bring-far]");
  far.hidden = false;
  for (let at = 0; ; at += PIECE) {
    const bytes = new Uint8Array(await file.slice(at, at + PIECE).arrayBuffer());
    let text = "";
    for (let n = 0; n < bytes.length; n += 8192) text += String.fromCharCode(...bytes.subarray(n, n + 8192));
    const last = at + PIECE >= file.size;
    const answer = await fetch(field.dataset.bring, {
      method: "POST",
      headers: { "HX-Request": "true" },
      body: new URLSearchParams({
        form: document.querySelector("meta[name=form]").content,
        name: file.name, at: String(at), last: last ? "yes" : "no", data: btoa(text),
      }),
    });
    if (!answer.ok) {
      const told = new DOMParser().parseFromString(await answer.text(), "text/html");
      state.textContent = told.body.textContent.trim();
      far.hidden = true;
      return;
    }
    far.value = Math.min(1, (at + PIECE) / (file.size || 1));
    if (last) { location.href = "/status#transfer"; location.reload(); return; }
  }
}
document.addEventListener("change", (event) => {
  if (event.target.matches("[data-bring]") && event.target.files.length) bring(event.target);
});
