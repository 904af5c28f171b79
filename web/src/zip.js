// Packs a published domain, in a worker: the page's own files, which web/files.txt lists, as they are served, and the
// domain's. A request is {name, files}, files by path; the answer {zip}, a blob with one folder of that name, or {error}.
const root = new URL("../../", location.href);

const fetched = async (path) => {
  const answer = await fetch(new URL(path === "index.html" ? "./" : path, root));
  if (!answer.ok) throw new Error(`${path} could not be loaded`);
  return new Uint8Array(await answer.arrayBuffer());
};

const table = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n;
});
const crc32 = (bytes) => {
  let sum = ~0;
  for (const b of bytes) sum = table[(sum ^ b) & 255] ^ (sum >>> 8);
  return ~sum >>> 0;
};

// fields are numbers in so many bytes each, the lowest first.
const fields = (...pairs) => new Uint8Array(pairs.flatMap(([size, n]) => Array.from({ length: size }, (_, k) => (n >>> (8 * k)) & 255)));
const utf8 = (text) => new TextEncoder().encode(text);

async function pack({ name, files }) {
  const list = new TextDecoder().decode(await fetched("web/files.txt")).trim().split("\n");
  const paths = [...list, ...Object.keys(files)].sort();
  const parts = [];
  const directory = [];
  let at = 0;
  for (const path of paths) {
    const bytes = files[path] ?? (await fetched(path));
    const packed = await new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"))).blob();
    const title = utf8(`${name}/${path}`);
    // Version, UTF-8 names, deflate, 1980-01-01 as the time, checksum, sizes, length of the name, and nothing further.
    const about = [[2, 20], [2, 0x800], [2, 8], [2, 0], [2, 0x21], [4, crc32(bytes)], [4, packed.size], [4, bytes.length], [2, title.length], [2, 0]];
    const head = fields([4, 0x04034b50], ...about);
    directory.push(fields([4, 0x02014b50], [2, 20], ...about, [2, 0], [2, 0], [2, 0], [4, 0], [4, at]), title);
    parts.push(head, title, packed);
    at += head.length + title.length + packed.size;
  }
  const size = directory.reduce((n, part) => n + part.length, 0);
  const end = fields([4, 0x06054b50], [2, 0], [2, 0], [2, paths.length], [2, paths.length], [4, size], [4, at], [2, 0]);
  return new Blob([...parts, ...directory, end], { type: "application/zip" });
}

onmessage = ({ data }) =>
  pack(data).then(
    (zip) => postMessage({ zip }),
    (error) => postMessage({ error: String((error && error.message) || error) }),
  );
