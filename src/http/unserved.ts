/** Addresses of the providers’ APIs that the gateway does not serve, and what a client can do instead. */
const INSTEAD: readonly (readonly [address: RegExp, advice: string])[] = [
  [/\/\//, 'it has two slashes in a row; the base URL must not end with one'],
  [/\/responses\/compact$/, 'OpenAI compacts a conversation by `context_management` of POST /v1/responses'],
  [/\/responses\/[^/]+\/cancel$/, 'no response runs in the background; to stop one, close its connection'],
  [/\/conversations\b/, 'continue a stored response by `previous_response_id` of POST /v1/responses'],
  [/\/batches\b/, 'send the requests of a batch one by one'],
  [/\/(?:files|uploads)\b/, 'send files inside the request, as base64'],
  [/\/cachedContents\b/, 'send the content with each request; Google caches it without being asked'],
  [/\/chat\/completions\/./, 'completions are not stored; POST /v1/responses stores its answers'],
  [/\/openai\/(?:.+\/)?chat\/completions$/, 'use POST /v1/chat/completions, with the model in the body'],
  [/^(?:\/v1)?\/(?:engines\/.+\/)?completions$/, 'use POST /v1/chat/completions'],
  [/^(?:\/v1)?\/complete$/, 'use POST /v1/messages'],
  [/^(?:\/v1)?\/(?:assistants|threads)\b/, 'use POST /v1/responses'],
  [/\/audio\/translations$/, 'use POST /v1/audio/transcriptions'],
  [/\/images\/variations$/, 'use POST /v1/images/edits'],
  [/:(?:batchE|e)mbedContents?$/, 'use POST /v1/embeddings'],
  [/:predict$/, 'use POST /v1/images/generations'],
  [/:predictLongRunning$/, 'use POST /v1/videos'],
];

/** What a client can do instead of calling an address that is not served. */
export function findAlternative(path: string): string | undefined {
  return INSTEAD.find(([address]) => address.test(path))?.[1];
}
