// Waiting until all requests of a page are answered.

/** Returns a function that waits until the page has no pending requests. */
export function watchRequests(page) {
  const open = new Set();
  page.on("request", (request) => open.add(request));
  for (const end of ["requestfinished", "requestfailed"]) page.on(end, (request) => open.delete(request));
  const painted = () => page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
  return async () => {
    for (let calm = 0; calm < 3; calm = open.size ? 0 : calm + 1) await painted(); // a response may trigger another request
  };
}
