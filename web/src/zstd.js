// Decompresses zstd, for files that come so. A worker loads it when it opens one.
import { Decompress } from "fzstd";

const mostWindow = 128 << 20; // bytes that a file may ask for, as for the command

// The memory that the first frame asks for, by its header.
function windowOf(head) {
  const flags = head[4];
  if (flags & 32) return 0; // one segment: no more than it decompresses to
  const exponent = 10 + (head[5] >> 3);
  return 2 ** exponent * (1 + (head[5] & 7) / 8);
}

// bacaZstd returns a decoder, whose push takes the next bytes of a file and gives
// those that come of them. It throws where the file is damaged or ends early.
globalThis.bacaZstd = () => {
  let pieces = [];
  let begun = false;
  const decoder = new Decompress((piece) => pieces.push(piece));
  return {
    push(bytes, last) {
      if (!begun && bytes.length > 5) {
        begun = true;
        if (windowOf(bytes) > mostWindow) throw new Error(`it wants ${Math.round(windowOf(bytes) / 2 ** 20)} MiB of memory to be decompressed, the most is ${mostWindow >> 20}`);
      }
      pieces = [];
      decoder.push(bytes, last);
      const all = new Uint8Array(pieces.reduce((n, piece) => n + piece.length, 0));
      let at = 0;
      for (const piece of pieces) {
        all.set(piece, at);
        at += piece.length;
      }
      return all;
    },
  };
};
