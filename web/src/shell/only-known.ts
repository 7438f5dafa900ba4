type Search = Record<string, unknown>;

/**
 * Reads the search parameters of an address. The router keeps those that a screen does not know, and screens pass theirs on to
 * the API, which refuses unknown ones: they are set to undefined, which is neither sent nor in an address.
 */
export const onlyKnown =
  <Known extends object>(read: (search: Search) => Known) =>
  (search: Search): Known => ({
    ...Object.fromEntries(Object.keys(search).map((name) => [name, undefined])),
    ...read(search),
  });
