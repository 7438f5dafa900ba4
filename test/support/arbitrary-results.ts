import fc from 'fast-check';
import {
  type Annotation,
  type Block,
  type Finish,
  type GenerationResult,
  type MediaBlock,
  type ReasoningBlock,
  type TextBlock,
  createUsage,
} from '#canonical';
import type { JsonObject } from '#base';

const text = fc.string({ unit: 'grapheme', maxLength: 30 });
const identifier = fc.stringMatching(/^[A-Za-z0-9_-]{1,24}$/);
const jsonObject = fc
  .dictionary(
    fc.stringMatching(/^[a-z]{1,6}$/),
    fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null)),
    { maxKeys: 3 },
  )
  .map((value): JsonObject => ({ ...value }));

const annotation = fc.record({
  format: fc.constantFrom<Annotation['format']>('chat', 'messages'),
  value: jsonObject,
});
const textBlock: fc.Arbitrary<TextBlock> = fc
  .tuple(text, fc.option(fc.array(annotation, { minLength: 1, maxLength: 2 }), { nil: undefined }))
  .map(([value, annotations]) => ({ type: 'text', text: value, ...(annotations && { annotations }) }));
const reasoningBlock: fc.Arbitrary<ReasoningBlock> = fc.oneof(
  text.map((value): ReasoningBlock => ({ type: 'reasoning', text: value })),
  fc.tuple(text, identifier).map(([value, signature]): ReasoningBlock => ({
    type: 'reasoning',
    text: value,
    signature,
    issuer: 'anthropic',
  })),
  identifier.map((redacted): ReasoningBlock => ({
    type: 'reasoning',
    text: '',
    redacted,
    issuer: 'anthropic',
  })),
);
const toolCall: fc.Arbitrary<Block> = fc
  .tuple(identifier, identifier, jsonObject)
  .map(([id, name, input]) => ({
    type: 'tool-call',
    id: `call_${id}`,
    name,
    input: { json: JSON.stringify(input) },
  }));
const nativeBlock: fc.Arbitrary<Block> = fc.tuple(identifier, jsonObject).map(([id, input]) => ({
  type: 'native',
  format: 'messages',
  value: { type: 'server_tool_use', id: `srvtoolu_${id}`, name: 'web_search', input },
}));

const image: fc.Arbitrary<MediaBlock> = fc
  .tuple(fc.constantFrom('image/png', 'image/webp'), fc.uint8Array({ minLength: 3, maxLength: 12 }))
  .map(([mediaType, bytes]) => ({
    type: 'media',
    kind: 'image',
    mediaType,
    source: { base64: Buffer.from(bytes).toString('base64') },
  }));

const finish: fc.Arbitrary<Finish> = fc.constantFrom<Finish>(
  { reason: 'stop', raw: 'end_turn' },
  { reason: 'length', raw: 'max_tokens' },
  { reason: 'stop-sequence', raw: 'stop_sequence', stopSequence: 'END' },
  { reason: 'tool-calls', raw: 'tool_use' },
  { reason: 'content-filter', raw: 'refusal' },
  { reason: 'unknown' },
);

const count = fc.nat(100_000);
const usage = fc
  .record({
    inputUncached: count,
    inputCacheRead: count,
    inputCacheWrite5m: count,
    inputCacheWrite1h: count,
    outputText: count,
    outputReasoning: count,
    outputImage: count,
  })
  .map((parts) => createUsage(parts));

/** Any complete generation, with every kind of block an answer can hold. */
export const anyResult: fc.Arbitrary<GenerationResult> = fc
  .record({
    id: identifier,
    model: identifier,
    blocks: fc.uniqueArray(fc.oneof(textBlock, reasoningBlock, toolCall, image, nativeBlock), {
      maxLength: 6,
      selector: (block) => (block.type === 'tool-call' ? block.id : block),
    }),
    finish,
    usage: fc.option(usage, { nil: undefined }),
    extra: fc.option(jsonObject, { nil: undefined }),
  })
  .map(({ usage: reported, extra, ...rest }) => ({
    ...rest,
    ...(reported && { usage: reported }),
    ...(extra && { extra: { chat: extra } }),
  }));
