// Draws molecules with the page's scripts and the numbers of the command: lines of `baca score
// --explain --to jsonl` go in, and a JSON list of pictures comes out.
import { layOut } from "../../../../web/src/molecule.js";
import { paint } from "../../../../web/src/svg.js";

let text = "";
for await (const piece of process.stdin) text += piece;
const pictures = text.trim().split("\n").map((line) => {
  const { smiles, atoms } = JSON.parse(line);
  const most = Math.max(...atoms.map(Math.abs));
  return paint({
    layout: layOut(smiles), share: atoms.map((x) => x / most), width: 260, height: 170, bond: 30, saved: true,
    title: `Structure of ${smiles}, atoms coloured by what they add to its score`,
  });
});
console.log(JSON.stringify(pictures));
