// Keeps the site for use without a network. A version is stored whole before it is
// used, and the one before it is dropped once no tab needs it.
"use strict";

const version = "{{version}}";
const files = {{files}};
const later = {{later}}; // what the page loads when it is asked for it
const prefix = "baca ";
const name = `${prefix}${registration.scope} ${version}`;

addEventListener("install", (event) => {
  // The browser's own store may hold files of a version before.
  const requests = files.map((file) => new Request(file, { cache: "no-cache" }));
  event.waitUntil(caches.open(name).then((cache) => cache.addAll(requests)));
});

addEventListener("activate", (event) => {
  const drop = async () => {
    for (const key of await caches.keys()) {
      if (key.startsWith(`${prefix}${registration.scope} `) && key !== name) await caches.delete(key);
    }
    await clients.claim();
  };
  const done = drop();
  event.waitUntil(done);
  // The rest comes while nobody waits for it, one file after the other; what is
  // missing then is fetched when it is asked for.
  const fetchRest = async () => {
    const cache = await caches.open(name);
    for (const file of later) if (!(await cache.match(file))) await cache.add(file);
  };
  if (!navigator.connection?.saveData) done.then(fetchRest).catch(() => {});
});

const answer = async (request) => {
  const cache = await caches.open(name);
  const wanted = request.mode === "navigate" ? new Request(new URL("./", registration.scope)) : request;
  const kept = await cache.match(wanted, { ignoreSearch: true });
  if (kept) return kept;
  const fresh = await fetch(request);
  if (fresh.ok && later.some((file) => new URL(file, registration.scope).href === request.url)) await cache.put(request, fresh.clone());
  return fresh;
};

addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method === "GET" && request.url.startsWith(registration.scope)) event.respondWith(answer(request));
});
