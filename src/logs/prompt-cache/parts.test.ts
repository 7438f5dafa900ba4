import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PromptChain, decodeChain, encodeChain, readParts } from './chain.ts';
import type { PromptParts } from './parts.ts';

const CHAIN: PromptChain = {
  parameters: Uint32Array.of(1, 2, 3, 4),
  toolNames: Uint16Array.from({ length: 200 }, (_, at) => at),
  tools: Uint32Array.from({ length: 200 }, (_, at) => at),
  system: Uint32Array.from({ length: 60 }, (_, at) => at),
  turns: Uint32Array.from({ length: 500 }, (_, at) => at),
  turnsPerHash: 1,
  turnCount: 500,
  marks: Uint32Array.of(1, 2, 3, 4),
  ttlMinutes: 5,
};

const PARTS: PromptParts = {
  toolLength: 70_000,
  systemLength: 20_000,
  turnLength: 3_000_000_000,
  first: 7,
  step: 0xffffffff,
  called: [0, 31, 32, 63],
  calls: [0, 1, 2, 3].map((tool) => ({ tool, hash: 0xfffffff0 + tool, length: 1_600 })),
  sample: { tool: 63, length: 1_234, name: 'mcp__github__create_pull_request' },
};

const toBytes = (stored: string): Buffer => Buffer.from(stored, 'base64');

test('parts are read back as they were stored, beside the longest chain in less than 1 KB, of which they are 100 bytes', () => {
  const stored = toBytes(encodeChain(CHAIN, PARTS));
  const alone = toBytes(encodeChain(CHAIN));
  assert.deepEqual(readParts(stored), PARTS);
  assert.deepEqual(decodeChain(stored), decodeChain(alone));
  assert.ok(stored.length < 1_024);
  assert.ok(stored.length - alone.length <= 100);
});

test('of a long name the first characters are kept, and none in part', () => {
  const sample = { tool: 0, length: 99_999, name: 'ä'.repeat(64) };
  const stored = toBytes(encodeChain(CHAIN, { ...PARTS, sample }));
  assert.deepEqual(readParts(stored)?.sample, { tool: 0, length: 65_535, name: 'ä'.repeat(19) });
  assert.ok(stored.length - toBytes(encodeChain(CHAIN)).length <= 100);
});

test('rows without parts, and bytes that are none, have no parts', () => {
  const stored = toBytes(encodeChain(CHAIN));
  assert.equal(readParts(stored), undefined);
  assert.equal(readParts(Buffer.alloc(0)), undefined);
  const broken = Buffer.from(stored);
  broken[6] = 20;
  assert.equal(readParts(broken), undefined);
  assert.equal(decodeChain(broken), undefined);
});
