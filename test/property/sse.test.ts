import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { type SseMessage, SseParser, formatSse } from '#base';
import { cutBytes, dressStream, parsePieces } from '../support/byte-cuts.ts';
import { NO_RECORDINGS, hasRecordings, readRecordings, toRecordedMessages } from '../support/recordings.ts';
import { createSeededRandom } from '../support/seeded-random.ts';
import { createAnyText } from '../support/any-text.ts';
import { repetitions } from '../support/repetitions.ts';

const SMALL_BYTES = 4000;
const SAMPLED_CUTS = 400;
const MULTI_CUTS = 200;
const SEED = 20_261_121;

const streams = readRecordings().filter((recording) => recording.kind === 'stream');

function parseOnce(bytes: Uint8Array): SseMessage[] {
  return parsePieces([bytes]);
}

test('a recorded stream gives its own payloads back', { skip: hasRecordings ? false : NO_RECORDINGS }, () => {
  for (const recording of streams) {
    const messages = toRecordedMessages(recording);
    assert.deepEqual(parseOnce(Buffer.from(messages.map(formatSse).join(''))), messages, recording.name);
  }
});

test('[D-86] one cut anywhere gives the same events', { skip: hasRecordings ? false : NO_RECORDINGS }, () => {
  const random = createSeededRandom(SEED);
  for (const recording of streams) {
    const bytes = Buffer.from(toRecordedMessages(recording).map(formatSse).join(''));
    const expected = JSON.stringify(parseOnce(bytes));
    const places =
      bytes.length <= SMALL_BYTES
        ? bytes.keys()
        : Array.from({ length: Math.min(SAMPLED_CUTS, 4_000_000 / bytes.length) }, () =>
            Math.floor(random() * bytes.length),
          );
    for (const place of places) {
      const got = JSON.stringify(parsePieces(cutBytes(bytes, [place])));
      assert.ok(got === expected, `${recording.name} cut at byte ${place} of ${bytes.length} (seed ${SEED})`);
    }
  }
});

test(
  '[D-87] many cuts, other line ends, comments and missing spaces give the same events',
  { skip: hasRecordings ? false : NO_RECORDINGS },
  () => {
    const random = createSeededRandom(SEED);
    for (const recording of streams) {
      const messages = toRecordedMessages(recording);
      const expected = JSON.stringify(messages);
      const rounds = Math.min(MULTI_CUTS, Math.ceil(6_000_000 / recording.text.length));
      for (let round = 0; round < rounds; round += 1) {
        const lineEnd = (['\n', '\r\n', '\r'] as const)[round % 3] ?? '\n';
        const bytes = dressStream(messages, { lineEnd, comments: round % 2 === 0, spaced: round % 5 !== 0 });
        const count = 1 + Math.floor(random() * 60);
        const places = Array.from({ length: count }, () => Math.floor(random() * bytes.length));
        const got = JSON.stringify(parsePieces(cutBytes(bytes, places)));
        assert.ok(
          got === expected,
          `${recording.name}, round ${round}, cuts ${places.join(' ')} (seed ${SEED})`,
        );
      }
    }
  },
);

test('every byte on its own gives the same events', { skip: hasRecordings ? false : NO_RECORDINGS }, () => {
  for (const recording of streams) {
    const messages = toRecordedMessages(recording).slice(0, 60);
    const bytes = dressStream(messages, { lineEnd: '\r\n', comments: true, spaced: true });
    assert.deepEqual(parsePieces(cutBytes(bytes, bytes.keys())), messages, recording.name);
  }
});

const TOKENS = [
  'data:',
  'data: ',
  'data',
  'data:  two spaces',
  'event: x',
  'event:',
  'event',
  'id: 1',
  'retry: 10',
  ':',
  ': note',
  '\n',
  '\n',
  '\n\n',
  '\r\n',
  '\r\n\r\n',
  '\r',
  '{"a":1}',
  ' ',
  'é',
  '漢字',
  '😀',
  '﻿',
  'datum: x',
  'data	:',
];
const sseText = fc.array(fc.constantFrom(...TOKENS), { maxLength: 40 }).map((parts) => parts.join(''));
const wholeText = sseText.map((text) => `${text}\n\n`);

function parseByReference(text: string): SseMessage[] {
  const messages: SseMessage[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => messages.push(event === undefined ? { data } : { event, data }),
  });
  parser.feed(text);
  return messages;
}

/** An empty event name and an absent one mean the same to every client. */
function withoutEmptyNames(messages: SseMessage[]): SseMessage[] {
  return messages.map(({ event, data }) => (event ? { event, data } : { data }));
}

test('[D-87] any text reads as the reference parser reads it', () => {
  fc.assert(
    fc.property(wholeText, (text) => {
      assert.deepEqual(
        withoutEmptyNames(parseOnce(Buffer.from(text))),
        withoutEmptyNames(parseByReference(text)),
      );
    }),
    { numRuns: repetitions(5_000) },
  );
});

test('[D-86] any bytes, cut anywhere, read as they do in one piece; nothing throws', () => {
  const noise = fc.uint8Array({ maxLength: 30 });
  const bytesOf = fc
    .array(
      fc.oneof(
        sseText.map((text) => Buffer.from(text)),
        noise,
      ),
      { maxLength: 6 },
    )
    .map((parts) => Buffer.concat(parts));
  fc.assert(
    fc.property(bytesOf, fc.array(fc.nat(300), { maxLength: 12 }), (bytes, places) => {
      assert.deepEqual(parsePieces(cutBytes(bytes, places)), parseOnce(bytes));
    }),
    { numRuns: repetitions(5_000) },
  );
});

test('what is written is read back, whatever the payload', () => {
  const payload = createAnyText().map((text) => JSON.stringify(text));
  fc.assert(
    fc.property(fc.array(fc.record({ event: fc.constantFrom('a', 'b_c'), data: payload })), (messages) => {
      assert.deepEqual(parseOnce(Buffer.from(messages.map(formatSse).join(''))), toWellFormed(messages));
    }),
  );
});

/** Lone surrogates do not survive UTF-8; JSON escapes them, so nothing is lost. */
function toWellFormed(messages: SseMessage[]): SseMessage[] {
  return messages.map((message) => ({ ...message, data: message.data.toWellFormed() }));
}

test('a line of megabytes is read in a time that grows with it, not with its square', () => {
  const bytes = Buffer.from(`data: ${'x'.repeat(24 * 1024 * 1024)}\n\n`);
  const pieces = cutBytes(
    bytes,
    Array.from({ length: 6000 }, (_, at) => (at + 1) * 4096),
  );
  const before = process.cpuUsage();
  const [message] = parsePieces(pieces);
  assert.equal(message?.data.length, 24 * 1024 * 1024);
  assert.ok(process.cpuUsage(before).user < 3_000_000);
});

test('an event of any number of short lines is cut off before it fills the memory', () => {
  const lines = Buffer.from('data:\n'.repeat(100_000));
  const parser = new SseParser();
  const pushes = 20;
  assert.throws(() => {
    for (let at = 0; at < pushes; at += 1) parser.push(lines);
  }, /larger than/);
  const ended = new SseParser();
  for (let at = 0; at < pushes; at += 1) ended.push(Buffer.concat([lines, Buffer.from('\n')]));
});
