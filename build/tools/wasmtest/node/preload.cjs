// Loaded by node before Go's wasm_exec_node.js: gives Go programs the SIMD kernel
// when they are instantiated. With BACA_KERNEL=none in the environment they find
// none and run their portable code.
"use strict";

const fs = require("fs");
const path = require("path");
const web = path.join(__dirname, "../../../../web");
require(path.join(web, "kernel.js"));

const instantiate = WebAssembly.instantiate;
WebAssembly.instantiate = async (program, imports) => {
  if (!imports || !imports.gojs) return instantiate(program, imports);
  const kernel = bacaKernel();
  const result = await instantiate(program, { ...imports, ...kernel.imports });
  const file = process.env.BACA_KERNEL === "none" ? null : fs.readFileSync(path.join(web, "kernel.wasm"));
  const reason = await kernel.attach(result.instance, file);
  if (file && reason) throw reason;
  return result;
};
