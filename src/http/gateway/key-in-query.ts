import type { HttpHeaders } from '#base';

/** Treats a key in the URL, as Google's clients send it, like a credential header; it is kept nowhere else. */
export function withKey(headers: HttpHeaders, query: URLSearchParams): HttpHeaders {
  const keys = query.getAll('key');
  const sent = headers['x-goog-api-key'];
  if (keys.length === 0) return headers;
  return { ...headers, 'x-goog-api-key': [...(typeof sent === 'string' ? [sent] : (sent ?? [])), ...keys] };
}

/** The query parameter in OpenAPI. */
export const KEY_QUERY = {
  key: 'The API key, for clients that send it in the address instead of `x-goog-api-key`.',
};
