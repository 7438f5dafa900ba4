import type { CanonicalRequest } from '#canonical';

/** A request as another format would decode it. */
export function createForeignRequest(fields: Partial<CanonicalRequest> = {}): CanonicalRequest {
  return {
    model: 'client-model',
    system: [],
    turns: [{ role: 'user', blocks: [{ type: 'text', text: 'Hello.' }] }],
    tools: [],
    stopSequences: [],
    sampling: {},
    stream: false,
    streamUsage: false,
    choices: 1,
    betas: [],
    origin: { format: 'messages', body: {} },
    ...fields,
  };
}
