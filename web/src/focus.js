// The focus never falls to the body: where its element goes or hides, as an example does once it is chosen, it moves to
// what has taken its place, or else to the first thing that can have it nearby.
"use strict";

const next = { edit: "smiles", fold: "edit" }; // by the id of what is gone
const able = "a[href], button:not(:disabled), summary, input:not(:disabled), select, textarea, [tabindex='0']";
let path = []; // what last had the focus, and what it was in

addEventListener("focusin", ({ target }) => {
  path = [];
  for (let e = target; e && e !== document.body; e = e.parentElement) path.push(e);
});
let pointed = false; // rather than pressed by a key, which wants to see where the focus is
const show = () => {
  pointed = false;
  for (const e of document.querySelectorAll("[data-lent]")) delete e.dataset.lent;
};
addEventListener("keydown", show, { capture: true });
addEventListener("pointerdown", ({ target }) => {
  pointed = true;
  if (!target.closest?.(able)) path = []; // a click elsewhere takes it away on purpose
});

const seen = (e) => e?.isConnected && e.checkVisibility();
const keep = () => {
  if (!path.length || document.activeElement !== document.body || seen(path[0])) return;
  const heir = document.getElementById(next[path[0].id]);
  const near = path.filter(seen).flatMap((e) => [...e.querySelectorAll(able)]);
  const to = seen(heir) ? heir : near.find(seen);
  if (to && pointed) to.dataset.lent = ""; // without a ring
  to?.focus();
};
let asked = false;
new MutationObserver(() => {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => {
    asked = false;
    keep();
  });
}).observe(document, { subtree: true, childList: true, attributeFilter: ["hidden", "class", "data-phase"] });
