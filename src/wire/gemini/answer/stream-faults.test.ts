import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JsonValue } from '#base';
import { collect } from '#canonical';
import { decodeMessages } from '../../../../test/support/gemini-exchange.ts';

const junk: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.constantFrom<JsonValue>(null, '', 'x', 0, -1, 1e300, true, [], {}),
  fc.constantFrom('STOP', 'OTHER', '$.a[0]', '$.a.b'),
);
const member = (...names: string[]) =>
  fc.dictionary(fc.constantFrom(...names), junk, { maxKeys: 4 }).map((value): JsonValue => ({ ...value }));
const partJunk = fc.oneof(
  junk,
  fc.record(
    {
      text: fc.oneof(fc.string(), junk),
      thought: fc.boolean(),
      thoughtSignature: fc.oneof(fc.constant('s'), junk),
      functionCall: fc.oneof(
        junk,
        fc.record(
          {
            name: fc.oneof(fc.constantFrom('f', ''), junk),
            args: junk,
            willContinue: fc.boolean(),
            partialArgs: fc.oneof(
              junk,
              fc.array(member('jsonPath', 'stringValue', 'numberValue', 'nullValue'), { maxLength: 3 }),
            ),
          },
          { requiredKeys: [] },
        ),
      ),
      inlineData: fc.oneof(junk, member('mimeType', 'data')),
      fileData: fc.oneof(junk, member('mimeType', 'fileUri')),
      executableCode: junk,
    },
    { requiredKeys: [] },
  ),
);
const chunkJunk = fc.record(
  {
    candidates: fc.oneof(
      junk,
      fc.array(
        fc.oneof(
          junk,
          fc.record(
            {
              content: fc.oneof(
                junk,
                fc.record({ parts: fc.oneof(junk, fc.array(partJunk, { maxLength: 4 })) }),
              ),
              finishReason: fc.oneof(junk, fc.constantFrom('STOP', 'MAX_TOKENS')),
              groundingMetadata: fc.oneof(junk, member('groundingChunks', 'webSearchQueries')),
              index: junk,
            },
            { requiredKeys: [] },
          ),
        ),
        { maxLength: 2 },
      ),
    ),
    usageMetadata: fc.oneof(
      junk,
      member('promptTokenCount', 'cachedContentTokenCount', 'totalTokenCount', 'promptTokensDetails'),
    ),
    promptFeedback: fc.oneof(junk, member('blockReason')),
    modelVersion: junk,
    responseId: junk,
    error: fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: junk }),
  },
  { requiredKeys: [] },
);

test('whatever an upstream sends, the decoder does not throw, follows the grammar and ends once', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(chunkJunk, junk), { maxLength: 6 }), (chunks) => {
      const events = decodeMessages(chunks.map((chunk) => ({ data: JSON.stringify(chunk) })));
      const ends = events.filter(({ type }) => type === 'generation-end' || type === 'generation-error');
      assert.equal(ends.length, 1);
      assert.equal(events.at(-1), ends[0]);
      if (events[0]?.type === 'generation-start') collect(events);
    }),
  );
});
