// The store: one small IndexedDB of values by name, for models that are kept and for
// training that goes on after a reload. And what a tab keeps of its input.
"use strict";

const database = () =>
  new Promise((resolve, reject) => {
    const request = indexedDB.open("baca", 1);
    request.onupgradeneeded = () => request.result.createObjectStore("kept");
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
const store = async (mode, act) => {
  const db = await database();
  try {
    return await new Promise((resolve, reject) => {
      const transaction = db.transaction("kept", mode);
      const request = act(transaction.objectStore("kept"));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onerror = transaction.onabort = () => reject(transaction.error || request.error);
    });
  } finally {
    db.close();
  }
};

export const put = (name, value) => store("readwrite", (s) => s.put(value, name));
export const get = (name) => store("readonly", (s) => s.get(name));
export const drop = (name) => store("readwrite", (s) => s.delete(name));

// all gives the names that begin with a prefix and their values, in the order of the names.
export async function all(prefix) {
  const range = IDBKeyRange.bound(prefix, `${prefix}\uffff`);
  const names = await store("readonly", (s) => s.getAllKeys(range));
  const values = await Promise.all(names.map(get));
  return names.map((name, i) => ({ name, value: values[i] })).filter(({ value }) => value instanceof Uint8Array);
}

// lasting asks the browser not to clear the store when room gets short.
export const lasting = async () => Boolean(await navigator.storage?.persist?.());

// One tab at a time trains. claim gets the right, now or with patience once it is free, until release or until the
// tab closes. Where there are no locks each tab has it.
let free = null;
export const claim = (patient) =>
  new Promise((done) => {
    if (free || !navigator.locks) return done(true);
    const hold = (lock) => {
      done(Boolean(lock || free));
      if (lock) return new Promise((end) => (free = end));
    };
    navigator.locks.request("baca training", { ifAvailable: !patient }, hold).catch(() => done(true));
  });
export function release() {
  free?.();
  free = null;
}

// The tab keeps its input over a reload, and no longer than it is open.
const name = "baca input";
export function keepInput(text) {
  try {
    sessionStorage.removeItem(name); // nothing stale stays where there is no room
    if (text !== "") sessionStorage.setItem(name, text);
  } catch {
    // No store at all: then nothing is kept.
  }
}
export function keptInput() {
  try {
    return sessionStorage.getItem(name) || "";
  } catch {
    return "";
  }
}

// guard has the browser ask before the page is left, while something would be lost by it.
export const guard = (atRisk) => addEventListener("beforeunload", (event) => atRisk() && event.preventDefault());
