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
  [
    /\/openai\/(?!deployments\/)(?:.+\/)?chat\/completions$/,
    'use POST /v1/chat/completions, with the model in the body',
  ],
  [/^(?:\/v1)?\/(?:engines\/.+\/)?completions$/, 'use POST /v1/chat/completions'],
  [/^(?:\/v1)?\/complete$/, 'use POST /v1/messages'],
  [/^(?:\/v1)?\/(?:assistants|threads)\b/, 'use POST /v1/responses'],
  [/\/audio\/translations$/, 'use POST /v1/audio/transcriptions'],
  [/\/images\/variations$/, 'use POST /v1/images/edits'],
  [/:(?:batchE|e)mbedContents?$/, 'use POST /v1/embeddings'],
  [/:predict$/, 'use POST /v1/images/generations'],
  [/:predictLongRunning$/, 'use POST /v1/videos'],
  // Of OpenRouter, LiteLLM and Vercel.
  [/^(?:\/v[12])?\/(?:model|model_group)\/info$/, 'GET /v1/models lists the models with prices and limits'],
  [
    /^(?:\/v1)?\/(?:key\/info|auth\/key|credits)$/,
    'GET /v1/key shows the usage and the rest of every limit of the key',
  ],
  [/^(?:\/v1)?\/generation$/, 'every Chat answer has its cost as `usage.cost`; GET /v1/usage sums it up'],
  [/^(?:\/global)?\/spend\//, 'GET /v1/usage sums up the usage of the key'],
  [/^\/health/, 'use GET /livez, or GET /readyz, which looks at the database, too'],
  [
    /^\/(?:key|user|team|customer|budget|organization)\/\w+$/,
    'keys, members and limits are administered below /admin/v1',
  ],
  [/^\/v\d\/ai\/language-model$/, 'use @ai-sdk/openai-compatible, with a base URL that ends in /v1'],
];

/** What OpenRouter, LiteLLM and Azure have before the addresses that providers have, too. */
const PREFIX = /^\/(?:api|openai|anthropic|gemini)(?=\/v1(?:alpha|beta)?\/)/;

/**
 * The path without the prefix: a client that changes only the host of its base URL still finds the endpoints it called
 * before.
 */
export function withoutPrefix(path: string): string {
  return path.replace(PREFIX, '');
}

/** What a client can do instead of calling an address that is not served. */
export function findAlternative(path: string): string | undefined {
  return INSTEAD.find(([address]) => address.test(path))?.[1];
}
