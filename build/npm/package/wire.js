// The messages of wasm/message, as a worker and whoever asks it write them: msgpack, and in
// it columns as bins. Only what those messages hold is known here.

// version is message.Version of the program, and events are all kinds that do not end a
// request; TestWire and TestEvents compare them with wasm/message.
export const version = 18;
export const events = new Set("Progress Header Records Parted Iteration Reference Fitted Rows Epoch Checkpoint".split(" "));

// encode writes a request: its number, its kind and its fields. Numbers are written as
// integers where they are, Uint8Arrays as bins.
export function encode(number, kind, fields) {
  let bytes = new Uint8Array(1 << 12);
  let view = new DataView(bytes.buffer);
  let at = 0;
  const room = (n) => {
    if (at + n <= bytes.length) return;
    const more = new Uint8Array(Math.max(2 * bytes.length, at + n));
    more.set(bytes.subarray(0, at));
    bytes = more;
    view = new DataView(bytes.buffer);
  };
  const byte = (b) => (room(1), view.setUint8(at++, b));
  const four = (code, n) => (room(5), view.setUint8(at, code), view.setUint32(at + 1, n), (at += 5));
  const raw = (data) => (room(data.length), bytes.set(data, at), (at += data.length));
  const write = (value) => {
    if (value === null || value === undefined) byte(0xc0);
    else if (typeof value === "boolean") byte(value ? 0xc3 : 0xc2);
    else if (Number.isSafeInteger(value) && !Object.is(value, -0)) room(9), view.setUint8(at, 0xd3), view.setBigInt64(at + 1, BigInt(value)), (at += 9);
    else if (typeof value === "number") room(9), view.setUint8(at, 0xcb), view.setFloat64(at + 1, value), (at += 9);
    else if (typeof value === "string") {
      const text = new TextEncoder().encode(value);
      four(0xdb, text.length), raw(text);
    } else if (value instanceof Uint8Array) four(0xc6, value.length), raw(value);
    else if (Array.isArray(value)) four(0xdd, value.length), value.forEach(write);
    else {
      const entries = Object.entries(value);
      four(0xdf, entries.length);
      for (const [name, field] of entries) write(name), write(field);
    }
  };
  byte(0x94), write(version), write(number), write(kind), write(fields);
  return bytes.slice(0, at);
}

// decode reads an event or a reply. Bins come as Uint8Arrays that share the bytes.
export function decode(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const take = (n) => {
    if (n > bytes.length - at) throw new Error(`message of ${bytes.length} bytes that wants ${n} more at ${at}`);
    at += n;
    return at - n;
  };
  const size = (width) => (width === 1 ? view.getUint8(take(1)) : width === 2 ? view.getUint16(take(2)) : view.getUint32(take(4)));
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const text = (n) => decoder.decode(bytes.subarray(take(n), at));
  const bin = (n) => bytes.subarray(take(n), at);
  // Each has at least a byte, so that a length alone takes no memory.
  const list = (n) => Array.from({ length: n <= bytes.length - at ? n : take(n) }, read);
  const map = (n) => {
    const fields = {};
    for (; n > 0; n--) fields[read()] = read();
    return fields;
  };
  function read() {
    const code = view.getUint8(take(1));
    if (code < 0x80) return code;
    if (code < 0x90) return map(code & 15);
    if (code < 0xa0) return list(code & 15);
    if (code < 0xc0) return text(code & 31);
    if (code >= 0xe0) return code - 256;
    switch (code) {
      case 0xc0: return null;
      case 0xc2: return false;
      case 0xc3: return true;
      case 0xc4: case 0xc5: case 0xc6: return bin(size(1 << (code - 0xc4)));
      case 0xca: return view.getFloat32(take(4));
      case 0xcb: return view.getFloat64(take(8));
      case 0xcc: case 0xcd: case 0xce: return size(1 << (code - 0xcc));
      case 0xcf: return Number(view.getBigUint64(take(8)));
      case 0xd0: return view.getInt8(take(1));
      case 0xd1: return view.getInt16(take(2));
      case 0xd2: return view.getInt32(take(4));
      case 0xd3: return Number(view.getBigInt64(take(8)));
      case 0xd9: case 0xda: case 0xdb: return text(size(1 << (code - 0xd9)));
      case 0xdc: case 0xdd: return list(size(2 << (code - 0xdc)));
      case 0xde: case 0xdf: return map(size(2 << (code - 0xde)));
    }
    throw new Error(`message with the code ${code}`);
  }
  const [its, number, kind, fields] = read();
  if (its !== version) throw new Error(`message of version ${its}, want ${version}`);
  return { number, kind, fields };
}

// floats reads a column of float64.
export function floats(bin) {
  const view = viewOf(bin);
  return Float64Array.from({ length: view.byteLength / 8 }, (_, i) => view.getFloat64(8 * i, true));
}

const viewOf = (bin) => (bin ? new DataView(bin.buffer, bin.byteOffset, bin.byteLength) : new DataView(new ArrayBuffer(0)));
