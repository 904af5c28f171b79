// Menus are <details class="menu"> with a list of buttons. Escape and a click elsewhere
// close them, arrows go through them, and the focus returns to what has opened them.
"use strict";

const opened = () => document.querySelector("details.menu[open]");
const opener = (menu) => menu.querySelector("summary");
const items = (menu) => [...menu.querySelectorAll(".menu-list button:not(:disabled)")].filter((e) => e.offsetParent);

const close = (menu, back) => {
  menu.open = false;
  if (back) opener(menu).focus();
};

// The item to go to by a key, from the one with that number, −1 for none.
const next = { ArrowDown: (at, n) => (at + 1) % n, ArrowUp: (at, n) => (at <= 0 ? n : at) - 1, Home: () => 0, End: (_, n) => n - 1 };

addEventListener(
  "keydown",
  (event) => {
    const menu = event.target.closest?.("details.menu") || opened();
    if (!menu || event.isComposing) return;
    const inside = menu.contains(event.target);
    if (event.key === "Escape" && menu.open) {
      event.preventDefault();
      event.stopPropagation(); // nothing else closes
      close(menu, true);
    } else if (event.key in next && inside && !event.target.matches("input, select")) {
      event.preventDefault();
      menu.open = true;
      const list = items(menu);
      list[next[event.key](list.indexOf(document.activeElement), list.length)]?.focus();
    }
  },
  { capture: true },
);
// A list that would lie beside the screen moves back into it.
addEventListener(
  "toggle",
  ({ target }) => {
    if (!target.matches?.("details.menu[open]")) return;
    const list = target.querySelector(".menu-list");
    list.style.translate = "";
    const { left, right } = list.getBoundingClientRect();
    list.style.translate = `${Math.max(0, 12 - left) - Math.max(0, right - document.documentElement.clientWidth + 12)}px`;
  },
  { capture: true },
);
addEventListener("pointerdown", (event) => {
  const menu = opened();
  if (menu && !menu.contains(event.target)) close(menu, false);
});
addEventListener("focusin", (event) => {
  const menu = opened();
  if (menu && !menu.contains(event.target)) close(menu, false);
});
// A choice closes the menu, but for marks and settings: people set several.
addEventListener("click", (event) => {
  const item = event.target.closest?.("details.menu:not(#settings) .menu-list button:not([role=menuitemcheckbox])");
  if (item) close(item.closest("details.menu"), true);
});
