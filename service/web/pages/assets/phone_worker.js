// Keeps the page of a table's code on the phone, so that it opens without network. What people enter is not kept here.

const CACHE = "plyscribe-table-1";
const PAGE = /^\/at\/plyt_/;
const ASSET = /^\/assets\/[a-z_]+\.[0-9a-f]{16}\.[a-z]+$/;
const OVER = [404, 410];
const PATIENCE_MS = 6_000;
const MOST = 300;

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(begin()));
self.addEventListener("message", ({ data, source }) => keep(data.keep).then(() => source?.postMessage("kept")));
self.addEventListener("fetch", (event) => {
  const { pathname, origin } = new URL(event.request.url);
  if (event.request.method !== "GET" || origin !== location.origin) return;
  if (ASSET.test(pathname)) event.respondWith(readAsset(event.request));
  else if (PAGE.test(pathname)) event.respondWith(readPage(event.request));
});

async function begin() {
  for (const name of await caches.keys()) if (name.startsWith("plyscribe-table-") && name !== CACHE) await caches.delete(name);
  await self.clients.claim();
}

/** Keep what the page has loaded before this script was in charge. */
async function keep(addresses) {
  const cache = await caches.open(CACHE);
  await Promise.allSettled(
    addresses.map(async (address) => {
      const { pathname, origin } = new URL(address, location.origin);
      if (origin !== location.origin) return;
      if (ASSET.test(pathname) && !(await cache.match(address))) await cache.add(address);
      if (PAGE.test(pathname)) await put(cache, new Request(address), await fetch(address, { headers: { Accept: "text/html" } }));
    }),
  );
  const kept = await cache.keys();
  // The oldest come first.
  for (const old of kept.slice(0, Math.max(0, kept.length - MOST))) await cache.delete(old);
}

/** Under its name, the content of an asset never changes. */
async function readAsset(request) {
  const cache = await caches.open(CACHE);
  const known = await cache.match(request, { ignoreVary: true });
  if (known) return known;
  const answered = await fetch(request);
  if (answered.ok) await cache.put(request, answered.clone());
  return answered;
}

/** The page as the server has it or, without network, as it was when it was loaded last. */
async function readPage(request) {
  const cache = await caches.open(CACHE);
  const known = await cache.match(request.url, { ignoreVary: true, ignoreSearch: true });
  let answered;
  try {
    answered = await fetch(request, known ? { signal: AbortSignal.timeout(PATIENCE_MS) } : {});
  } catch (error) {
    if (known) return known;
    throw error;
  }
  if (answered.status >= 500 && known) return known;
  // A phone without space for it shows the page all the same.
  await put(cache, request, answered.clone()).catch(() => {});
  return answered;
}

/** Keep one page for each address, whatever its query: also one that says that the code is no longer valid. */
async function put(cache, request, answered) {
  if (!answered.ok && !OVER.includes(answered.status)) return;
  const address = new URL(request.url);
  address.search = "";
  await cache.delete(address.href, { ignoreVary: true });
  await cache.put(address.href, answered);
}
