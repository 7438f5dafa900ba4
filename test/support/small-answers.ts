const VECTOR = { object: 'embedding', embedding: [0] };
const ANSWERS: [path: RegExp, body: object][] = [
  [/rerank/, { id: 'r', results: [{ index: 0, relevance_score: 1 }] }],
  [/moderations/, { id: 'm', model: 'm', results: [] }],
  [/transcriptions/, { text: 'ok' }],
  [/images/, { created: 1, data: [{ b64_json: 'AA' }] }],
  [/ount_?[tT]okens/, { input_tokens: 1, totalTokens: 1 }],
  [/generateContent/, { candidates: [{ content: { parts: [{ text: 'ok' }] }, finishReason: 'STOP' }] }],
  [
    /messages/,
    {
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [{ type: 'text', text: 'ok' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  ],
  [
    /./,
    {
      id: 'c',
      choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
    },
  ],
];

/** A provider's smallest valid answer at a path; `inputs` is how many vectors were requested. */
export function findSmallAnswer(path: string, inputs = 1): { type: string; text: string } {
  if (path.includes('speech')) return { type: 'audio/mpeg', text: 'sound' };
  const [, found] = ANSWERS.find(([pattern]) => pattern.test(path)) ?? [];
  const body = path.includes('embeddings') ? embed(inputs) : found;
  return { type: 'application/json', text: JSON.stringify(body) };
}

function embed(count: number): object {
  const data = Array.from({ length: count }, (_, index) => ({ ...VECTOR, index }));
  return { object: 'list', data, model: 'm', usage: { prompt_tokens: 1, total_tokens: 1 } };
}
