import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SseMessage } from '#base';
import { type Block, type GenerationEvent, collect, createUsage } from '#canonical';
import {
  CLIENTS,
  createTarget,
  decodeStream,
  encodeStream,
  openPassage,
} from '../../test/support/exchanges.ts';

const START: GenerationEvent = { type: 'generation-start', id: 'x', model: 'm' };
const END: GenerationEvent = {
  type: 'generation-end',
  finish: { reason: 'stop' },
  usage: createUsage({ inputUncached: 1, outputText: 1 }),
};
const BLOCKS: Block[] = [
  { type: 'reasoning', text: 'Hm.', signature: 'c2ln', issuer: 'anthropic' },
  { type: 'text', text: 'Hi' },
  { type: 'text', text: '' },
  { type: 'text', text: 'there' },
];

/** Blocks that begin with all of their text, or whose text follows. */
function toEventsOf(blocks: readonly Block[], isWhole: boolean): GenerationEvent[] {
  const events = blocks.flatMap((block, index): GenerationEvent[] => {
    const text = 'text' in block ? block.text : '';
    if (isWhole || !('text' in block))
      return [
        { type: 'block-start', index, block },
        { type: 'block-end', index },
      ];
    return [
      { type: 'block-start', index, block: { ...block, text: '' } },
      { type: 'block-delta', index, text },
      { type: 'block-end', index },
    ];
  });
  return [START, ...events, END];
}

for (const client of CLIENTS) {
  const { inbound, context, exchange } = openPassage(client, createTarget(client), client);
  const encode = (events: GenerationEvent[]): SseMessage[] => encodeStream(inbound, context, events);

  test(`blocks that begin with all of their text reach a ${client} client like those whose text follows`, () => {
    const read = (isWhole: boolean) =>
      collect(decodeStream(exchange, encode(toEventsOf(BLOCKS, isWhole)))).blocks;
    assert.deepEqual(read(true), read(false));
    const texts = read(true).map((block) => (block.type === 'text' ? block.text : ''));
    assert.equal(texts.join(''), 'Hithere');
  });

  test(`nothing reaches a ${client} client after the end of its answer`, () => {
    const [, late = START] = toEventsOf([{ type: 'text', text: 'late' }], true);
    const stray: GenerationEvent = { type: 'block-delta', index: 0, text: 'stray' };
    const failed: GenerationEvent = {
      type: 'generation-error',
      failure: { kind: 'broken', message: 'the provider cut its answer short' },
    };
    for (const last of [END, failed]) {
      const whole = encode([START, last]);
      const more = encode([START, last, late, stray, END, failed]);
      assert.equal(more.length, whole.length);
      assert.doesNotMatch(JSON.stringify(more), /late|stray/);
    }
  });
}
