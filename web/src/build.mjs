// Bundles the page's scripts into static/tools.js and static/lib, and lists the licences of what is in
// them. Run by `npm run build`, which needs no network after `npm ci`.
import { build } from "esbuild";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";

const web = dirname(dirname(fileURLToPath(import.meta.url)));
const out = join(web, "static");
await rm(join(out, "lib"), { recursive: true, force: true });
await mkdir(join(out, "lib"), { recursive: true });

const { metafile } = await build({
  absWorkingDir: web,
  // tools is the page's. draw lays out molecules and is the editor, and comes after the first
  // verdicts; zstd comes for a file that is compressed so, zip for publishing, map for maps.
  entryPoints: { tools: "src/tools.js", "lib/draw": "src/draw.js", "lib/zstd": "src/zstd.js", "lib/zip": "src/zip.js", "lib/map": "src/map.js" },
  outdir: out,
  bundle: true,
  minify: true,
  format: "iife",
  target: ["chrome111", "firefox115", "safari16.4"],
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
});

// The packages that went in, each with its licence as it came.
const packages = new Set();
for (const file of Object.keys(metafile.inputs)) {
  const parts = file.split(/[\\/]/);
  const at = parts.lastIndexOf("node_modules");
  if (at < 0) continue;
  const scoped = parts[at + 1].startsWith("@") ? 2 : 1;
  packages.add(parts.slice(0, at + 1 + scoped).join(sep));
}
let text = "What BaCa's page is bundled with, besides its own source.\n";
for (const folder of [...packages].sort()) {
  const about = JSON.parse(await readFile(join(web, folder, "package.json"), "utf8"));
  let licence = "";
  for (const name of ["LICENSE", "LICENSE.md", "LICENSE.txt", "license"]) {
    licence = await readFile(join(web, folder, name), "utf8").catch(() => "");
    if (licence) break;
  }
  if (!licence) throw new Error(`${about.name} comes without a licence text`);
  text += `\n${"=".repeat(72)}\n${about.name} ${about.version} (${about.license})\n\n${licence.trim()}\n`;
}
await writeFile(join(out, "lib", "LICENSES.txt"), text);

const sizes = Object.entries(metafile.outputs).map(([name, o]) => `${name} ${o.bytes}`);
console.log(sizes.join("\n"));
