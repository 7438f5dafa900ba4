const VECTOR = { object: 'embedding', index: 0, embedding: [0] };
const ANSWERS: [path: RegExp, body: object][] = [
  [
    /embeddings/,
    { object: 'list', data: [VECTOR], model: 'm', usage: { prompt_tokens: 1, total_tokens: 1 } },
  ],
  [/rerank/, { id: 'r', results: [{ index: 0, relevance_score: 1 }] }],
  [/moderations/, { id: 'm', model: 'm', results: [] }],
  [/transcriptions/, { text: 'ok' }],
  [/images/, { created: 1, data: [] }],
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

/** A provider's smallest valid answer at a path. */
export function findSmallAnswer(path: string): { type: string; text: string } {
  if (path.includes('speech')) return { type: 'audio/mpeg', text: 'sound' };
  const [, body] = ANSWERS.find(([pattern]) => pattern.test(path)) ?? [];
  return { type: 'application/json', text: JSON.stringify(body) };
}
