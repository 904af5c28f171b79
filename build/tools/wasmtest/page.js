"use strict";

new Worker("worker.js").onerror = (event) => {
  fetch("write/2", { method: "POST", body: `${event.message}\n` }).then(() => fetch("exit/1", { method: "POST" }));
};
