// A link that carries a case: what is behind # never reaches a server, and it leaves the
// address bar before the page does anything else. The page's program reads it.
"use strict";

const most = 20000; // characters of a link that are looked at; the program refuses more than it makes itself
let carried = "";
let tell = null;

const take = () => {
  const text = location.hash.slice(1);
  if (!text.includes("=")) return false;
  // A published domain is no secret, and a reload opens it again.
  if (/^domain=[^&]*$/.test(text)) document.getElementById("page")?.classList.add("visiting");
  else history.replaceState(null, "", location.pathname + location.search);
  carried = text.slice(0, most);
  return true;
};
take();

// A link can also be pasted over the address of a page that is open. The framework is
// not told: to it nothing has changed.
for (const kind of ["popstate", "hashchange"]) {
  addEventListener(kind, (event) => {
    if (!take()) return;
    event.stopImmediatePropagation();
    tell?.(carried);
    carried = "";
  });
}

// linked calls take with what is behind # of a link, now and whenever one is opened.
export function linked(take) {
  tell = take;
  if (carried !== "") take(carried);
  carried = "";
}

// copy puts a text on the clipboard.
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Over plain http there is no clipboard of that kind.
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    if (!copied) throw new Error("the browser does not let the page copy");
  }
}

// copyPicture puts a picture on the clipboard, of which picture makes a PNG.
export async function copyPicture(picture) {
  if (!navigator.clipboard?.write || !globalThis.ClipboardItem) throw new Error(`the browser copies ${isSecureContext ? "no pictures" : "pictures from pages with https only"}; save it instead`);
  await navigator.clipboard.write([new ClipboardItem({ "image/png": picture() })]);
}
