// Runs the program in a worker, as the page of the project does. What it writes
// goes to the server at once and in order, hence the synchronous requests.
"use strict";

importScripts("wasm_exec.js", "kernel.js");

const request = (method, path, body) => {
  const r = new XMLHttpRequest();
  r.open(method, path, false);
  r.send(body);
  return r.responseText;
};

fs.writeSync = (fd, bytes) => {
  request("POST", `write/${fd}`, bytes.slice());
  return bytes.length;
};

// There is a file system, and it is empty: tests that look for files find none.
process.cwd = () => "/";
fs.constants = { O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1024, O_DIRECTORY: 65536 };
for (const name of ["open", "stat", "lstat", "readdir", "mkdir"]) {
  fs[name] = (...args) => args.at(-1)(Object.assign(new Error("there are no files"), { code: "ENOENT" }));
}

const main = async () => {
  const go = new Go();
  const { argv, env } = JSON.parse(request("GET", "start.json"));
  Object.assign(go, { argv, env });
  let code = 1;
  go.exit = (status) => (code = status);
  const kernel = bacaKernel();
  const { instance } = await WebAssembly.instantiateStreaming(fetch("program.wasm"), { ...go.importObject, ...kernel.imports });
  const reason = await kernel.attach(instance, fetch("kernel.wasm"));
  if (reason && env.BACA_KERNEL !== "none") throw reason;
  await go.run(instance);
  return code;
};

main()
  .catch((error) => {
    fs.writeSync(2, new TextEncoder().encode(`${error.stack || error}\n`));
    return 1;
  })
  .then((code) => {
    request("POST", `exit/${code}`);
    close(); // or a timer of the program would go on to call it
  });
