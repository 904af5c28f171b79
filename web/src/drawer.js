// Lays out molecules in a worker, one at a time, so that a large one never holds up a page: for the page of BaCa and for
// the npm package.
const patience = 5000; // ms for one molecule

// drawer returns what lays out a molecule: a promise of the text that draw.js gives. start starts a worker of that script.
export function drawer(start) {
  let worker = null; // started with the first molecule
  let turn = Promise.resolve(); // when the molecule before is laid out

  const started = () =>
    new Promise((resolve, reject) => {
      const port = start();
      port.onmessage = () => resolve(port); // it is ready
      port.onerror = (event) => {
        event.preventDefault();
        reject(new Error(event.message || "the drawing program could not be loaded"));
      };
    });

  const layOut = async (smiles) => {
    worker ??= await started();
    return new Promise((resolve, reject) => {
      const give = (reason) => {
        clearTimeout(timer);
        worker.terminate();
        worker = null; // the next molecule starts another
        reject(new Error(reason));
      };
      const timer = setTimeout(give, patience, "the drawing takes too long");
      worker.onmessage = ({ data: { text, error } }) => {
        clearTimeout(timer);
        if (error) reject(new Error(error));
        else resolve(text);
      };
      worker.onerror = (event) => {
        event.preventDefault();
        give(event.message || "the drawing could not be made");
      };
      worker.postMessage({ smiles });
    });
  };

  return (smiles) => {
    const mine = turn.then(() => layOut(smiles));
    turn = mine.catch(() => {});
    return mine;
  };
}
