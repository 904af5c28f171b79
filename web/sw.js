// Keeps the site for use without a network. A version is stored whole before it is
// used. It waits until somebody asks for it: by the button of the page, or by loading
// the page again. Tabs that still show the version before keep its files until then.
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

addEventListener("message", ({ data }) => {
  if (data === "activate") skipWaiting();
});

const ours = async () => (await caches.keys()).filter((key) => key.startsWith(`${prefix}${registration.scope} `)); // the oldest first

// drop deletes versions, but for the latest of them if a tab is open that may still
// show it.
const drop = async (old) => {
  const tabs = await clients.matchAll({ type: "window", includeUncontrolled: true });
  if (tabs.length > 0) old = old.slice(0, -1);
  for (const key of old) await caches.delete(key);
};

addEventListener("activate", (event) => {
  const done = ours()
    .then((all) => drop(all.filter((key) => key !== name)))
    .then(() => clients.claim());
  event.waitUntil(done);
  // The rest comes while nobody waits for it, one file after the other; what is
  // missing then is fetched when it is asked for.
  const fetchRest = async () => {
    const cache = await caches.open(name);
    for (const file of later) if (!(await cache.match(file))) await cache.add(file);
  };
  if (!navigator.connection?.saveData) done.then(fetchRest).catch(() => {});
});

// Loading the page again asks for the version that waits. The page that stands in
// until that one answers only loads once more. If it never does, the page comes from
// this version.
let turns = 3;
const handOver = () => {
  registration.waiting.postMessage("activate");
  return new Response("<!doctype html><title>BaCa</title><script>location.reload()</script>", {
    headers: { "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store" },
  });
};

// Other pages of the folder are none of ours.
const shows = (request) => {
  const { origin, pathname } = new URL(request.url);
  return request.mode === "navigate" && [registration.scope, `${registration.scope}index.html`].includes(origin + pathname);
};

// Domains that were published beside the page are kept once somebody visits them: the latest card and model of each, in a
// store that outlasts versions of the page. A model's name has its hash, so it is asked for once, and a card each time.
const visited = async (request) => {
  const cache = await caches.open(`baca-domains ${registration.scope}`);
  const isModel = (url) => url.endsWith(".msgpack");
  const kept = await cache.match(request);
  if (kept && isModel(request.url)) return kept;
  const fresh = await fetch(request).catch((error) => kept ?? Promise.reject(error));
  if (fresh === kept || !fresh.ok) return fresh;
  const name = request.url.slice(0, request.url.indexOf(".", registration.scope.length) + 1);
  if (isModel(request.url)) for (const { url } of await cache.keys()) if (isModel(url) && url.startsWith(name)) await cache.delete(url);
  await cache.put(request, fresh.clone());
  return fresh;
};

const answer = async (request) => {
  if (request.url.startsWith(`${registration.scope}domains/`)) return visited(request);
  const navigates = shows(request);
  if (navigates && registration.waiting && turns-- > 0) return handOver();
  if (navigates) {
    const all = await ours();
    await drop(all.slice(0, Math.max(all.indexOf(name), 0)));
  }
  const cache = await caches.open(name);
  const wanted = navigates ? new Request(new URL("./", registration.scope)) : request;
  const kept = (await cache.match(wanted, { ignoreSearch: true })) || (await caches.match(wanted, { ignoreSearch: true }));
  if (kept) return kept;
  const fresh = await fetch(request);
  if (fresh.ok && later.some((file) => new URL(file, registration.scope).href === request.url)) await cache.put(request, fresh.clone());
  return fresh;
};

addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method === "GET" && request.url.startsWith(registration.scope)) event.respondWith(answer(request));
});
