import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Block, type GenerationEvent, createUsage } from '#canonical';
import { ResumableDelivery } from './resumable-delivery.ts';

const TEXT: Block = { type: 'text', text: '' };
const FAILURE = { kind: 'broken', message: 'cut' } as const;
const START: GenerationEvent = { type: 'generation-start', id: 'a', model: 'm' };

function open() {
  const seen: GenerationEvent[] = [];
  const target = {
    isReady: true,
    onReady: () => undefined,
    push: (events: readonly GenerationEvent[]) => void seen.push(...events),
  };
  return { delivery: new ResumableDelivery(target), seen };
}

const textOf = (events: readonly GenerationEvent[]): string =>
  events.map((event) => (event.type === 'block-delta' ? event.text : '')).join('');

/** Checks that events follow the grammar: one start, dense blocks, one open at a time, one end. */
function checkGrammar(events: readonly GenerationEvent[]): void {
  let blocks = 0;
  let isOpen = false;
  for (const [at, event] of events.entries()) {
    assert.equal(event.type === 'generation-start', at === 0);
    const isLast = at === events.length - 1;
    assert.equal(event.type === 'generation-end' || event.type === 'generation-error', isLast);
    if (event.type === 'block-start') {
      assert.ok(!isOpen, 'one block is open at a time');
      assert.equal(event.index, blocks);
      blocks += 1;
      isOpen = true;
    } else if ('index' in event) {
      assert.ok(isOpen);
      assert.equal(event.index, blocks - 1);
      if (event.type === 'block-end') isOpen = false;
    } else if (isLast) assert.ok(!isOpen, 'no block is left open');
  }
}

/** The events of a provider that writes these texts, a block each. */
function* write(texts: readonly string[]): Generator<GenerationEvent> {
  yield START;
  for (const [index, text] of texts.entries()) {
    yield { type: 'block-start', index, block: TEXT };
    for (const piece of text.match(/.{1,3}/gsu) ?? []) yield { type: 'block-delta', index, text: piece };
    yield { type: 'block-end', index };
  }
  yield { type: 'generation-end', finish: { reason: 'stop' }, usage: createUsage({ outputText: 1 }) };
}

test('wherever a stream of text is cut and continued, the caller sees the whole text as one answer', () => {
  const texts = fc.array(
    fc.string({ minLength: 1, maxLength: 20, unit: fc.constantFrom(' ', '\n', 'a', 'b') }),
    {
      minLength: 1,
      maxLength: 3,
    },
  );
  fc.assert(
    fc.property(texts, fc.nat(40), (blocks, cutAt) => {
      const { delivery, seen } = open();
      const whole = [...write(blocks)];
      for (const event of whole.slice(0, Math.min(cutAt + 1, whole.length - 1))) delivery.push([event]);
      delivery.push([{ type: 'generation-error', failure: FAILURE }]);
      const begun = delivery.text ?? assert.fail('text can be continued');
      delivery.resume(createUsage({ outputText: 2 }));
      // The next provider writes what follows the text it got.
      delivery.push([...write([blocks.join('').slice(begun.length)])]);
      checkGrammar(seen);
      assert.equal(textOf(seen), blocks.join(''));
      const end = seen.at(-1);
      assert.equal(end?.type === 'generation-end' && end.usage?.outputText, 3, 'the usage is that of both');
    }),
  );
});

test('a call of another provider follows the text it got as a block of its own', () => {
  const { delivery, seen } = open();
  delivery.push([START, { type: 'block-start', index: 0, block: TEXT }]);
  delivery.push([{ type: 'block-delta', index: 0, text: 'I look' }]);
  delivery.push([{ type: 'generation-error', failure: FAILURE }]);
  delivery.resume(createUsage());
  const block: Block = { type: 'tool-call', id: 'c', name: 'look', input: { json: '' } };
  delivery.push([
    START,
    { type: 'block-start', index: 0, block },
    { type: 'block-delta', index: 0, text: '{}' },
    { type: 'block-end', index: 0 },
    { type: 'generation-end', finish: { reason: 'tool-calls' } },
  ]);
  checkGrammar(seen);
  assert.deepEqual(
    seen.flatMap((event) => (event.type === 'block-start' ? [event.block.type] : [])),
    ['text', 'tool-call'],
  );
});

const NOT_TEXT: Record<string, GenerationEvent[]> = {
  'a call': [
    { type: 'block-start', index: 0, block: { type: 'tool-call', id: 'c', name: 'n', input: { json: '' } } },
  ],
  thinking: [{ type: 'block-start', index: 0, block: { type: 'reasoning', text: '' } }],
  'a citation': [
    { type: 'block-start', index: 0, block: TEXT },
    { type: 'block-annotation', index: 0, annotation: { format: 'messages', value: {} } },
  ],
  'an event of its own format': [{ type: 'relay', format: 'messages', value: {} }],
};

for (const [name, events] of Object.entries(NOT_TEXT)) {
  test(`an answer with ${name} is not continued: its failure is passed on at once`, () => {
    const { delivery, seen } = open();
    delivery.push([START, ...events, { type: 'generation-error', failure: FAILURE }]);
    assert.equal(delivery.text, undefined);
    assert.equal(seen.at(-1)?.type, 'generation-error');
  });
}

test('a failure after which no provider continues reaches the caller once', () => {
  const { delivery, seen } = open();
  delivery.push([START, { type: 'generation-error', failure: FAILURE }]);
  assert.deepEqual(seen, [START]);
  delivery.giveUp();
  delivery.giveUp();
  assert.deepEqual(seen.slice(1), [{ type: 'generation-error', failure: FAILURE }]);
});
