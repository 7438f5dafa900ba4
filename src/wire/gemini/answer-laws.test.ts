import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type JsonObject, parseJsonObject } from '#base';
import { type Block, type GenerationResult, collect } from '#canonical';
import { anyResult } from '../../../test/support/arbitrary-results.ts';
import {
  decodeGeminiBody,
  decodeMessages,
  encodeAnswer as encode,
  partsOf,
  streamAnswer as stream,
} from '../../../test/support/gemini-exchange.ts';

/** A result that Gemini can represent: no citations, nothing empty, and calls last, apart from signatures. */
function toSayable(result: GenerationResult): GenerationResult {
  const blocks: Block[] = [];
  for (const block of result.blocks) {
    if (block.type === 'native' || (block.type === 'reasoning' && block.redacted !== undefined)) continue;
    if ((block.type === 'text' || block.type === 'reasoning') && block.text === '') continue;
    const plain: Block =
      block.type === 'text'
        ? { type: 'text', text: block.text }
        : block.type === 'reasoning'
          ? { type: 'reasoning', text: block.text }
          : block;
    const last = blocks.at(-1);
    if (last?.type === plain.type && (plain.type === 'text' || plain.type === 'reasoning') && 'text' in last)
      last.text += plain.text;
    else blocks.push(plain);
  }
  const usage = result.usage && {
    ...result.usage,
    inputUncached:
      result.usage.inputUncached + result.usage.inputCacheWrite5m + result.usage.inputCacheWrite1h,
    inputCacheWrite5m: 0,
    inputCacheWrite1h: 0,
  };
  return { id: result.id, model: 'client-model', blocks, finish: result.finish, ...(usage && { usage }) };
}

test('a result is decoded unchanged, from JSON and from a stream', () => {
  const essence = ({ id, model, blocks, usage }: GenerationResult) => ({ id, model, blocks, usage });
  fc.assert(
    fc.property(anyResult, (any) => {
      const result = toSayable(any);
      const whole = decodeGeminiBody(encode(result));
      const streamed = collect(decodeMessages(stream(result)));
      assert.deepEqual(essence(whole), essence(result));
      assert.deepEqual(essence(streamed), essence(result));
      assert.equal(streamed.finish.reason, whole.finish.reason);
    }),
  );
});

test('whatever blocks a result holds, JSON and stream have the same parts', () => {
  const joined = (chunks: JsonObject[]): JsonObject[] => {
    const parts: JsonObject[] = [];
    for (const part of chunks.flatMap(partsOf)) {
      const last = parts.at(-1);
      const isEmpty = Object.keys(part).length === 1 && part['text'] === '';
      const { text: before } = last ?? {};
      const { text: after } = part;
      const grows =
        last &&
        typeof before === 'string' &&
        typeof after === 'string' &&
        last['thought'] === part['thought'] &&
        last['thoughtSignature'] === undefined &&
        (last['thought'] === true || part['thoughtSignature'] === undefined);
      if (isEmpty) continue;
      if (grows) parts[parts.length - 1] = { ...last, ...part, text: before + after };
      else parts.push(part);
    }
    return parts;
  };
  fc.assert(
    fc.property(anyResult, fc.boolean(), (result, isShown) => {
      assert.deepEqual(
        joined(stream(result, isShown).map(({ data }) => parseJsonObject(data) ?? {})),
        joined([encode(result, isShown)]),
      );
    }),
  );
});
