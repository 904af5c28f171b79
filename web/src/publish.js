// Packs the page that this tab was loaded from, and a published domain, into a ZIP file. Loaded when it is asked for.
"use strict";

const table = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let bit = 0; bit < 8; bit++) n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1;
  return n;
});
const crc = (data) => {
  let sum = -1;
  for (const byte of data) sum = (sum >>> 8) ^ table[(sum ^ byte) & 255];
  return ~sum >>> 0;
};

const deflated = async (data) => new Uint8Array(await new Response(new Blob([data]).stream().pipeThrough(new CompressionStream("deflate-raw"))).arrayBuffer());

// header is the part that an entry and its line in the directory share; 0x0800 says that names are UTF-8, 0x5c21 is a date.
const header = ({ data, small, name }) => {
  const h = new DataView(new ArrayBuffer(26));
  [20, 0x0800, 8, 0, 0x5c21].forEach((value, i) => h.setUint16(2 * i, value, true));
  [crc(data), small.length, data.length].forEach((value, i) => h.setUint32(10 + 4 * i, value, true));
  h.setUint16(22, name.length, true);
  return h.buffer;
};
const numbers = (...pairs) => {
  const view = new DataView(new ArrayBuffer(pairs.reduce((n, [size]) => n + size, 0)));
  let at = 0;
  for (const [size, value] of pairs) {
    size === 2 ? view.setUint16(at, value, true) : view.setUint32(at, value, true);
    at += size;
  }
  return view.buffer;
};

// zip packs files with a name and data.
async function zip(files) {
  const parts = [];
  const directory = [];
  let at = 0;
  const add = (list, ...more) => {
    list.push(...more);
    return more.reduce((n, part) => n + part.byteLength, 0);
  };
  let length = 0;
  for (const file of files) {
    const entry = { ...file, name: new TextEncoder().encode(file.name), small: await deflated(file.data) };
    const shared = header(entry);
    length += add(directory, numbers([4, 0x02014b50], [2, 20]), shared, numbers([2, 0], [2, 0], [2, 0], [4, 0], [4, at]), entry.name);
    at += add(parts, numbers([4, 0x04034b50]), shared, entry.name, entry.small);
  }
  const end = numbers([4, 0x06054b50], [4, 0], [2, files.length], [2, files.length], [4, length], [4, at], [2, 0]);
  return new Blob([...parts, ...directory, end], { type: "application/zip" });
}

// site packs the page's files, which web/page.json lists, and those of a domain.
async function site(domain, told) {
  const get = async (name) => {
    const answer = await fetch(new URL(name, new URL("./", location)));
    if (!answer.ok) throw new Error(`${name}: the server says ${answer.status}`);
    return answer;
  };
  const names = await (await get("web/page.json")).json();
  const files = [];
  for (const name of names) {
    told(`Reading the page: ${files.length} of ${names.length} files`);
    files.push({ name, data: new Uint8Array(await (await get(name === "index.html" ? "./" : name)).arrayBuffer()) });
  }
  told("Packing …");
  return zip([...files, ...domain]);
}

// bacaPublish shows what visitors of a domain will see and what its file gives away, and saves the folder when it is
// asked to.
globalThis.bacaPublish = (download, name, html, ...given) => {
  const files = given.flatMap((data, i) => (i % 2 ? [{ name: given[i - 1], data }] : [])); // names and data take turns
  document.getElementById("publish")?.remove();
  const dialog = document.createElement("dialog");
  dialog.id = "publish";
  dialog.setAttribute("aria-labelledby", "publish-title");
  dialog.innerHTML = `<div class="dialog-body"><div class="pane-head"><h2 id="publish-title">Publish a domain</h2><span class="stretch"></span>
<button type="button" class="button" id="publish-close">Close</button></div>
<p class="quiet">One folder for any web server: this page, the model's file, and a card. Whoever opens its link pastes molecules, which stay in the
visitor's tab. Nothing is sent now: you save the folder, and put it where you like. Visitors see:</p>
<div class="visit preview">${html.replace("<details", "<details open").replaceAll("h2>", "h3>")}</div>
<p class="small">The link ends in <code>#domain=${name}</code>.</p>
<div class="row-buttons"><button type="button" class="button strong" id="publish-save">Save the folder as ZIP</button></div>
<p class="quiet small" id="publish-note" role="status"></p></div>`;
  document.body.append(dialog);
  const [save, note] = [dialog.querySelector("#publish-save"), dialog.querySelector("#publish-note")];
  const told = (text) => (note.textContent = text);
  dialog.querySelector("#publish-close").onclick = () => dialog.close();
  dialog.onclose = () => dialog.remove();
  save.onclick = async () => {
    save.disabled = true;
    try {
      download(`${name}-site.zip`, await site(files, told));
      told(`Saved as ${name}-site.zip`);
    } catch (error) {
      told(`Not saved: ${error.message}`);
    }
    save.disabled = false;
  };
  dialog.showModal();
};
