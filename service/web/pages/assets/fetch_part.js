// Parts of pages, as the server makes them.

/** The page or part of one at an address; an error where there is none. */
export async function fetchPart(address) {
  const answered = await fetch(address, { headers: { Accept: "text/html" } });
  if (!answered.ok) throw new Error(`${answered.status}`);
  return new DOMParser().parseFromString(await answered.text(), "text/html");
}
