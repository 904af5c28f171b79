// What web/kernel.js does where there is no kernel, and where there is one.
"use strict";
const assert = require("assert");
const fs = require("fs");
require("../../../../web/kernel.js");
const bytes = fs.readFileSync(`${__dirname}/../../../../web/kernel.wasm`);

(async () => {
  // Of a Go program the kernel needs the memory, here 16 MB.
  const instance = { exports: { mem: new WebAssembly.Memory({ initial: 256 }) } };
  for (const [name, source] of Object.entries({
    null: () => null,
    "no module": () => new Uint8Array([1, 2, 3, 4]),
    "another module": () => new Uint8Array([0, 97, 115, 109, 2, 0, 0, 0]),
    "a failed fetch": () => Promise.reject(new TypeError("failed to fetch")),
    "status 404": () => new Response("not found", { status: 404 }),
  })) {
    const kernel = bacaKernel();
    const reason = await kernel.attach(instance, source());
    assert(reason instanceof Error, `${name}: ${reason}, want an Error`);
    assert.strictEqual(kernel.imports.kern.available(), 0, name);
  }
  for (const [name, source] of Object.entries({
    bytes: () => bytes,
    module: () => new WebAssembly.Module(bytes),
    "promise of a module": () => WebAssembly.compile(bytes),
    response: () => Promise.resolve(new Response(bytes)),
  })) {
    const { imports: { kern }, attach } = bacaKernel();
    assert.strictEqual(kern.available(), 0, `${name}, before attach`);
    assert.strictEqual(await attach(instance, source()), null, name);
    assert.strictEqual(kern.available(), 1, name);
    const names = WebAssembly.Module.exports(new WebAssembly.Module(bytes)).map((e) => e.name);
    assert.deepStrictEqual(Object.keys(kern).sort(), [...names, "available"].sort(), name);
    const x = new Float32Array(instance.exports.mem.buffer, 1024, 6);
    x.set([1, 2, 3, 4, 5, 6]);
    assert.strictEqual(kern.dot(1024, 1036, 3), 32, name);
  }
})().catch((error) => {
  console.error(error);
  process.exit(1);
});
