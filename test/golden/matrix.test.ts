import assert from 'node:assert/strict';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parseJsonObject } from '#base';
import { type Block, type ClientFormatId, type GenerationResult, collect, inputJsonOf } from '#canonical';
import { isFailure } from '#wire';
import { CLIENTS, createTarget, decodeStream, openPassage } from '../support/exchanges.ts';
import { NO_RECORDINGS, RECORDED_SOURCES, hasRecordings } from '../support/recordings.ts';
import { type GoldenCase, readOwnCases, readRecordedCases } from './cases.ts';
import { cross, drawCase, encodeFrames, encodeJson, settle } from './matrix.ts';

const folder = fileURLToPath(new URL('.', import.meta.url)).replace(/\/$/, '');
const updating = process.env['UPDATE_GOLDEN'] === '1';
const HOW = 'run UPDATE_GOLDEN=1 npm test -- --only golden and read the difference';
const recorded = readRecordedCases();
const cases = [...readOwnCases(), ...recorded];

for (const golden of cases) {
  test(`${golden.id} reaches every client as in its golden file`, () => {
    const path = `${folder}/${golden.id}.txt`;
    const drawn = drawCase(golden);
    if (updating) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, drawn);
    }
    assert.ok(existsSync(path), `${golden.id} is new: ${HOW}`);
    assert.equal(drawn, readFileSync(path, 'utf8'), HOW);
  });
}

test('every golden file has its case', { skip: hasRecordings ? false : NO_RECORDINGS }, () => {
  const expected = new Set(cases.map((golden) => `${golden.id}.txt`));
  const strays = globSync('*/**/*.txt', { cwd: folder }).filter((path) => !expected.has(path));
  assert.deepEqual(strays, []);
});

test('every recorded source is in the matrix', { skip: hasRecordings ? false : NO_RECORDINGS }, () => {
  const sources = new Set(recorded.map((golden) => golden.id.split('/')[0]));
  assert.deepEqual([...sources].sort(), Object.keys(RECORDED_SOURCES).sort());
});

/** A Chat message has one place for thinking and one for text: only a stream shows what came between their parts. */
function orderOf({ blocks }: GenerationResult, client: ClientFormatId): Block[] {
  if (client !== 'chat') return blocks;
  const isText = ({ type }: Block): boolean => type === 'text';
  const isThought = ({ type }: Block): boolean => type === 'reasoning';
  const [first, ...texts] = blocks.filter(isText) as (Block & { type: 'text' })[];
  const whole = first && { ...first, text: [first, ...texts].map(({ text }) => text).join('') };
  const others = blocks.filter((block) => !isThought(block) && !isText(block));
  return [...blocks.filter(isThought), ...(whole ? [whole] : []), ...others];
}

/** OpenAI encrypts the same reasoning once more for the end of a stream, so that only its presence is the same. */
function secretsOf({ signature = '', redacted }: Block & { type: 'reasoning' }, client: ClientFormatId): object {
  if (client !== 'responses') return { signature, hidden: redacted };
  return { isSigned: signature !== '', isHidden: redacted !== undefined };
}

/** What must not depend on whether a client streams. */
function essenceOf(result: GenerationResult, client: ClientFormatId): unknown {
  const blocks = orderOf(result, client).map((block) => {
    if (block.type === 'tool-call')
      return { call: block.id, name: block.name, input: parseJsonObject(inputJsonOf(block)) ?? {} };
    if (block.type === 'reasoning')
      return { thinking: block.text, ...secretsOf(block, client) };
    if (block.type === 'text') return { text: block.text };
    return block;
  });
  return { blocks, finish: result.finish.reason, usage: result.usage };
}

for (const golden of cases) {
  test(`${golden.id} gives streaming and other clients the same result`, () => {
    for (const client of CLIENTS) {
      const crossing = cross(golden, client);
      const { events } = crossing;
      if (!events || isFailure(settle(crossing))) continue;
      const reader = openPassage(client, createTarget(client), client).exchange;
      const whole = reader.decodeResult(encodeJson(crossing));
      assert.ok(!isFailure(whole), `${client} JSON is no answer of its own format`);
      const streamed = collect(decodeStream(reader, encodeFrames(crossing, events)));
      assert.deepEqual(essenceOf(streamed, client), essenceOf(whole, client), client);
    }
  });

  test(`${golden.id} ends as its format ends, and only when the upstream did`, () => {
    for (const client of CLIENTS) {
      const crossing = cross(golden, client);
      if (!crossing.events) continue;
      assertEnding(golden, client, isFailure(settle(crossing)));
    }
  });
}

/** Events that end an answer in Messages and in Responses. */
const ENDS: ReadonlySet<unknown> = new Set(['message_stop', 'response.completed', 'response.incomplete']);

function assertEnding(golden: GoldenCase, client: ClientFormatId, failed: boolean): void {
  const crossing = cross(golden, client);
  const frames = encodeFrames(crossing, crossing.events ?? []);
  const datas = frames.map((frame) => frame.data);
  if (client === 'gemini') {
    assertGeminiEnding(datas, failed);
    return;
  }
  const ends = datas.filter(
    (data) => data === '[DONE]' || ENDS.has(parseJsonObject(data)?.['type']),
  );
  assert.equal(ends.length, failed ? 0 : 1);
  if (client === 'chat') {
    const last = datas.at(-1) ?? '';
    assert.ok(failed ? 'error' in (parseJsonObject(last) ?? {}) : last === '[DONE]', last);
    return;
  }
  if (client === 'messages') assert.equal(frames.at(-1)?.event, failed ? 'error' : 'message_stop');
  else if (failed) assert.equal(frames.at(-1)?.event, 'response.failed');
  for (const frame of frames) assert.equal(frame.event, parseJsonObject(frame.data)?.['type']);
  const starts = datas.flatMap((data) => {
    const value = parseJsonObject(data);
    if (value?.['type'] === 'response.output_item.added') return [value['output_index']];
    return value?.['type'] === 'content_block_start' ? [value['index']] : [];
  });
  assert.deepEqual(starts, [...starts.keys()], 'block indices are dense from 0');
}

/** Chunks without names, the last with the finish reason or the error. */
function assertGeminiEnding(datas: string[], failed: boolean): void {
  const chunks = datas.map((data) => parseJsonObject(data) ?? {});
  const ends = chunks.filter(({ candidates, promptFeedback }) => {
    const [candidate] = (candidates ?? []) as { finishReason?: string }[];
    return candidate?.finishReason !== undefined || promptFeedback !== undefined;
  });
  assert.equal(ends.length, failed ? 0 : 1);
  assert.equal('error' in (chunks.at(-1) ?? {}), failed);
  if (!failed) assert.equal(chunks.at(-1), ends[0]);
}
