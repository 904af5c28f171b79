// The loader of kernel.wasm, the SIMD loops that the Go programs of this page
// call. Load it beside Go's wasm_exec.js, as a script, as a module or by require(), then:
//
//  const go = new Go();
//  const kernel = bacaKernel();
//  const { instance } = await WebAssembly.instantiate(program, { ...go.importObject, ...kernel.imports });
//  await kernel.attach(instance, module);
//  go.run(instance);
//
// module is kernel.wasm as a WebAssembly.Module, as bytes, or as a promise of one
// of them or of a Response. attach goes between instantiate and run: the kernel
// needs the memory of the Go instance, and the Go program asks once, when it
// starts, whether the kernel is there. Where it is not (module is null, the
// promise fails, or the browser has no SIMD) attach resolves to the reason, an
// Error, and the program computes the same with its own, slower code; otherwise
// to null.
"use strict";

globalThis.bacaKernel = function () {
  let exports = null;
  const kern = { available: () => (exports === null ? 0 : 1) };
  const names = "gemm list gemmListed transpose add addNeighbors reluGradient exp sums weight normalize normalizeGradient dot adam products addProducts addWhere";
  for (const name of names.split(" ")) kern[name] = (...args) => exports[name](...args);
  return {
    imports: { kern },
    async attach(instance, module) {
      try {
        let source = await module;
        if (!source) throw new Error("no kernel module given");
        if (typeof Response !== "undefined" && source instanceof Response) {
          if (!source.ok) throw new Error(`${source.url}: ${source.status} ${source.statusText}`);
          source = await source.arrayBuffer();
        }
        if (!(source instanceof WebAssembly.Module)) source = await WebAssembly.compile(source);
        exports = (await WebAssembly.instantiate(source, { env: { memory: instance.exports.mem } })).exports;
        return null;
      } catch (error) {
        return error;
      }
    },
  };
};
