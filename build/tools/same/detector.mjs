// Prints what the npm package in a folder answers, to compare it with that of another commit.
import { readFileSync } from "node:fs";

const { Detector } = await import(`${process.argv[2]}/node.js`);
const read = (name) => readFileSync(`in/${name}`);
const list = (name) => read(name).toString().trim().split("\n").map((line) => line.split(" ")[0]);
const show = async (title, ask) => console.log(title, JSON.stringify(await ask().catch((error) => String(error)), null, 1));
const odd = [...list("few.smi"), "C(", "aspirin", "", null, "[Na+].[Cl-]"];

for (const model of [undefined, read("own.msgpack"), read("trees.msgpack"), read("cut.msgpack")]) {
  let detector;
  await show("about", async () => (detector = await Detector.load({ model })).about);
  if (!detector) continue;
  await show("score", () => detector.score(odd, { alpha: 0.1 }));
  await show("explain", () => detector.explain(odd));
  await show("bad alpha", () => detector.score(odd, { alpha: 3 }));
  detector.close();
}
for (const options of [{ name: "mine", seed: 2, keepStructures: true }, { epochs: 2, asWritten: true }]) {
  const detector = await Detector.train(list("forty.smi"), options);
  await show("trained", async () => [detector.about, detector.warnings, await detector.score(odd)]);
  detector.close();
}
await show("too few", () => Detector.train(odd.slice(0, 3)));
