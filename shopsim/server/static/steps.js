// Steps by keyboard: the arrow keys follow the links of the page, without loading it anew.
"use strict";

const KEYS = { ArrowLeft: "prev", ArrowRight: "next", Home: "first", End: "last", Escape: "up" };

const link = (rel) => document.querySelector(`#step a[rel~="${rel}"]`);

async function show(address, remember) {
  const answer = await fetch(address, { headers: { accept: "text/html" } });
  if (!answer.ok) { location.href = address; return; }
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  document.querySelector("#step").replaceWith(document.adoptNode(page.querySelector("#step")));
  document.title = page.title;
  if (remember) history.pushState(null, "", address);
  warm();
}

// The next screen is fetched before it is asked for.
function warm() {
  const next = document.querySelector("#step")?.dataset.next;
  if (next) new Image().src = next;
}

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, select, textarea, pre")) return;
  const target = KEYS[event.key] && link(KEYS[event.key]);
  if (!target) return;
  event.preventDefault();
  if (event.key === "Escape") location.href = target.href;
  else show(target.href, true);
});

document.addEventListener("click", (event) => {
  const target = event.target.closest("#step .steps a[rel]");
  if (!target || event.button || event.ctrlKey || event.metaKey || event.shiftKey || target.rel === "up") return;
  event.preventDefault();
  show(target.href, true);
});

window.addEventListener("popstate", () => show(location.href, false));
warm();
