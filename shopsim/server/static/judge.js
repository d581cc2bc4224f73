// The choice by keys, and how long it took.
"use strict";

const form = document.querySelector("#choice");
const began = performance.now();

form.addEventListener("submit", () => {
  form.elements.seconds.value = ((performance.now() - began) / 1000).toFixed(1);
});

document.addEventListener("keydown", (event) => {
  const number = ["1", "2", "3"].indexOf(event.key);
  if (number < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
  form.requestSubmit(form.querySelectorAll("button")[number]);
});
