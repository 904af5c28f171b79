// Reads messages that Go wrote, writes some for Go, and rounds numbers. One JSON value goes in
// and one comes out.
import { six } from "./node_modules/baca-wasm/detector.js";
import { decode, encode, floats, version } from "./node_modules/baca-wasm/wire.js";

let text = "";
for await (const piece of process.stdin) text += piece;
const { messages, numbers, kinds, requests } = JSON.parse(text);
const hostile = [];
const out = {
  version,
  messages: messages.map((base64) => {
    const bytes = new Uint8Array(Buffer.from(base64, "base64"));
    for (let n = 0; n < bytes.length; n++) {
      // No prefix of a message is one.
      try {
        decode(bytes.subarray(0, n));
        hostile.push(n);
      } catch {}
    }
    const { number, kind, fields } = decode(bytes);
    if (kind === "Rows") {
      const [id, score] = fields.Rows;
      return { number, kind, id: id.Texts, score: [...floats(score.Numbers)].map(String), from: fields.From };
    }
    if (kind === "Detailed") return { number, kind, record: fields.Record, reasons: fields.Reasons.map((r) => [r.Text, r.Nodes, r.Weight]), p: fields.P };
    return { number, kind, ...fields };
  }),
  requests: requests.map((fields, i) => Buffer.from(encode(7, kinds[i], fields)).toString("base64")),
  numbers: numbers.map((hex) => {
    const view = new DataView(new ArrayBuffer(8));
    view.setBigUint64(0, BigInt(`0x${hex}`));
    return six(view.getFloat64(0));
  }),
  hostile,
};
console.log(JSON.stringify(out));
