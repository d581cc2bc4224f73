// The phone of the play page: gestures and keys become the environment's eight actions.
"use strict";

const DOWN = 0, UP = 1, CLICK = 2, DETAIL = 3, BACK = 4, CART = 5, BUY = 6, LEAVE = 7;
const KEYS = { ArrowDown: DOWN, PageDown: DOWN, " ": DOWN, ArrowUp: UP, PageUp: UP, Escape: BACK, Backspace: BACK,
  ArrowLeft: BACK, d: DETAIL, c: CART, b: BUY, q: LEAVE };
const HEIGHT = 608, LONG_PRESS = 500, SWIPE = 24;

const root = document.querySelector("#play");
const phone = document.querySelector("#phone");
const screen_ = document.querySelector("#screen");
const glass = document.querySelector("#glass");
const targets = document.querySelector("#targets");
const said = document.querySelector("#said");
const calm = matchMedia("(prefers-reduced-motion: reduce)");
let state = root && JSON.parse(root.dataset.state);
let busy = false;

async function act(action, point = null) {
  if (busy || state.over) return;
  busy = true;
  try {
    const answer = await fetch(`/play/${encodeURIComponent(root.dataset.name)}/moves`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify({ action, point, move: state.move }),
    });
    const told = await answer.json();
    if (!answer.ok) { tell(told.detail || "The server did not do that.", true); return; }
    const before = state;
    state = told;
    await show(before);
  } catch {
    tell("The server does not answer. Try again.", true);
  } finally {
    busy = false;
  }
}

async function show(before) {
  if (!before || before.move !== state.move) {
    const next = new Image();
    next.src = state.screen;
    await next.decode();
    const old = screen_.src;
    screen_.src = next.src;
    if (before && !state.failed && !calm.matches) slide(before, old, next.src);
  }
  screen_.alt = state.said;
  tell(state.said, state.failed);
  document.querySelector("#counts").textContent =
    `moves ${state.move} · in the cart ${state.cart} · bought ${state.bought}`;
  for (const button of document.querySelectorAll("[data-action]")) {
    const action = Number(button.dataset.action);
    button.disabled = state.over || !state.can[action] || (action === DETAIL && state.page === "feed");
  }
  lay();
  if (state.over) {
    const end = document.querySelector("#end");
    phone.classList.add("over");
    end.hidden = false;
    end.scrollIntoView({ block: "nearest" });
    end.querySelector("input, a")?.focus({ preventScroll: true });
  }
}

// The part between the bars moves as on a phone; the picture under it is the new one already.
function slide(before, old, now) {
  const scrolled = before.page === state.page && before.scroll !== state.scroll;
  const paged = before.page !== state.page;
  if (!scrolled && !paged) return;
  const share = scrolled ? (state.scroll - before.scroll) / HEIGHT : 0;
  const [one, two] = [old, now].map((source) => Object.assign(new Image(), { src: source }));
  glass.replaceChildren(...(scrolled ? [one, two] : [one]));
  const timing = { duration: scrolled ? 260 : 160, easing: "cubic-bezier(.2,.7,.3,1)", fill: "forwards" };
  if (scrolled) {
    one.animate([{ translate: "0 0" }, { translate: `0 ${-100 * share}%` }], timing);
    two.animate([{ translate: `0 ${100 * share}%` }, { translate: "0 0" }], timing).onfinish = () => glass.replaceChildren();
  } else {
    one.animate([{ opacity: 1 }, { opacity: 0 }], timing).onfinish = () => glass.replaceChildren();
  }
}

// A button over everything that reacts, for Tab, Enter and screen readers; clicks are taken by the phone itself.
function lay() {
  targets.replaceChildren(...(state.over ? [] : state.targets).map((target, number) => {
    const button = document.createElement("button");
    const [left, top, width, height] = target.box;
    Object.assign(button.style, { left: `${100 * left}%`, top: `${100 * top}%`, width: `${100 * width}%`, height: `${100 * height}%` });
    button.type = "button";
    button.setAttribute("aria-label", target.kind === "card" ? `${number + 1}. ${target.label}` : target.label);
    button.addEventListener("click", (event) => { if (event.detail === 0) press(target); });
    return button;
  }));
}

function press(target, action = CLICK) {
  const [left, top, width, height] = target.box;
  act(action, [left + width / 2, top + height / 2]);
}

function tell(text, failed) {
  said.textContent = text;
  said.classList.toggle("failed", Boolean(failed));
}

// Gestures

let start = null;

const place = (event) => {
  const box = screen_.getBoundingClientRect();
  return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
};

function down(event) {
  if (!event.isPrimary || event.button > 0) return;
  start = { x: event.clientX, y: event.clientY, at: place(event), long: null };
  start.long = setTimeout(() => {
    const at = start?.at;
    start = null;
    mark(at);
    act(DETAIL, at);
  }, LONG_PRESS);
  phone.setPointerCapture(event.pointerId);
}

function moved(event) {
  if (start && Math.hypot(event.clientX - start.x, event.clientY - start.y) > SWIPE / 2) clearTimeout(start.long);
}

function up(event) {
  if (!start) return;
  const { x, y, at, long } = start;
  start = null;
  clearTimeout(long);
  const dx = event.clientX - x, dy = event.clientY - y;
  if (Math.abs(dy) > SWIPE && Math.abs(dy) > Math.abs(dx)) act(dy < 0 ? DOWN : UP);
  else if (dx > 2 * SWIPE && at[0] < 0.25) act(BACK);
  else if (Math.hypot(dx, dy) <= SWIPE) { mark(at); act(CLICK, at); }
}

function mark([x, y]) {
  const tap = document.querySelector("#tap");
  Object.assign(tap.style, { left: `${100 * x}%`, top: `${100 * y}%` });
  tap.animate([{ opacity: 1, scale: 0.6 }, { opacity: 0, scale: 1.3 }], 380);
}

let turned = 0;

function wheel(event) {
  event.preventDefault();
  const now = performance.now();
  if (Math.abs(event.deltaY) < 8 || now - turned < 350) return;
  turned = now;
  act(event.deltaY > 0 ? DOWN : UP);
}

function key(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, select, textarea")) return;
  if (event.target.closest("button, a") && (event.key === " " || event.key === "Enter")) return;
  const number = Number(event.key);
  if (number >= 1 && state.page === "feed" && state.targets[number - 1]) {
    event.preventDefault();
    press(state.targets[number - 1], event.shiftKey ? DETAIL : CLICK);
    return;
  }
  const action = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (action === undefined || state.over) return;
  event.preventDefault();
  if (action === DETAIL && state.page === "feed") {
    // On the feed the details of the item under the focus, if there is one.
    const index = [...targets.children].indexOf(document.activeElement);
    if (index >= 0) press(state.targets[index], DETAIL);
    else tell("Choose an item first: Tab, or Shift and its number.", true);
    return;
  }
  act(action);
}

if (root) {
  phone.addEventListener("pointerdown", down);
  phone.addEventListener("pointermove", moved);
  phone.addEventListener("pointerup", up);
  phone.addEventListener("pointercancel", () => { clearTimeout(start?.long); start = null; });
  phone.addEventListener("contextmenu", (event) => event.preventDefault());
  phone.addEventListener("wheel", wheel, { passive: false });
  document.addEventListener("keydown", key);
  for (const button of document.querySelectorAll("[data-action]"))
    button.addEventListener("click", () => act(Number(button.dataset.action)));
  show(null);
}
