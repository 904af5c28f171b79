// Starts workers that compute: for the page, for the npm package, and for the workers
// among themselves.

// compile fetches a program and compiles it while it comes. told hears of its bytes, if it is there.
export async function compile(url, told) {
  let answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: the server says ${answer.status}`);
  if (told) answer = counted(answer, told);
  // A host that does not know the type of .wasm files gets no streaming.
  if ((answer.headers.get("Content-Type") || "").startsWith("application/wasm")) {
    return WebAssembly.compileStreaming(answer);
  }
  return WebAssembly.compile(await answer.arrayBuffer());
}

// counted is an answer that tells how many bytes have come.
function counted(answer, told) {
  let count = 0;
  const counter = new TransformStream({
    transform(bytes, next) {
      told((count += bytes.byteLength));
      next.enqueue(bytes);
    },
  });
  return new Response(answer.body.pipeThrough(counter), { headers: answer.headers });
}

// threads returns what starts workers by start, a function that returns one with the
// script worker.js. program is a promise of what each is sent first, so that it starts quickly:
//
//  module  the compiled program
//  kernel  the compiled kernel.wasm, or null
//  files   what the program reads, by name, as Uint8Arrays or URLs; a name that is not
//          there is a URL relative to the worker's script. May be missing.
//  plain   whether to compute without a GPU, whose numbers differ in their last digits
export function threads(start, program) {
  const files = new Map(); // files of the browser, which are read where they lie, by number
  let count = 0;
  return {
    program,
    files,

    // hold gives a file a number, by which messages speak of it.
    hold(file) {
      files.set(++count, file);
      return count;
    },

    // spawn starts a worker. What it says goes to receive as a Uint8Array; died is
    // called once if it ends by itself.
    spawn(receive, died) {
      const worker = start();
      let over = false;
      const end = (reason) => {
        if (over) return;
        over = true;
        worker.terminate();
        died(reason);
      };
      worker.onmessage = (event) => {
        if (over) return;
        if (typeof event.data === "string") end(event.data);
        else receive(new Uint8Array(event.data));
      };
      worker.onerror = (event) => end(event.message || "the worker could not be started");
      program.then(
        (program) => over || worker.postMessage(program),
        (error) => end(`the program could not be loaded: ${error.message}`),
      );
      return {
        // post sends a message, an ArrayBuffer, and the file of that number if
        // there is one.
        post(data, number) {
          const file = files.get(number);
          worker.postMessage(file ? { data, number, file } : { data }, [data]);
        },
        terminate() {
          over = true;
          worker.terminate();
        },
        // keep says whether Node waits for this worker before it ends.
        keep(on) {
          if (on) worker.ref?.();
          else worker.unref?.();
        },
      };
    },
  };
}
