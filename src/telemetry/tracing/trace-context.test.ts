import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSampled } from './sampling.ts';
import { formatTraceparent, readTraceContext } from './trace-context.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const read = (traceparent: string, tracestate?: string) =>
  readTraceContext({ traceparent, ...(tracestate !== undefined && { tracestate }) });

test('a caller’s context is read as W3C Trace Context has it, and written back the same', () => {
  const context = read(`00-${TRACE}-${SPAN}-01`, 'vendor=1,other=2');
  assert.ok(context);
  assert.deepEqual(context, { traceId: TRACE, spanId: SPAN, isSampled: true, state: 'vendor=1,other=2' });
  assert.equal(formatTraceparent(context), `00-${TRACE}-${SPAN}-01`);
  assert.equal(read(`00-${TRACE}-${SPAN}-00`)?.isSampled, false);
  assert.equal(read(`00-${TRACE}-${SPAN}-03`)?.isSampled, true, 'other flags are ignored');
  assert.equal(read(`01-${TRACE}-${SPAN}-01-more`)?.traceId, TRACE, 'a later version may have more');
});

test('an invalid context begins a new trace', () => {
  const invalid = [
    `ff-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}`,
    '',
  ];
  for (const traceparent of invalid) assert.equal(read(traceparent), undefined, traceparent);
  assert.equal(readTraceContext({}), undefined);
  assert.equal(read(`00-${TRACE}-${SPAN}-01`, 'x'.repeat(513))?.state, undefined);
});

test('a share of traces is chosen by the id alone, and the caller’s decision comes first', () => {
  const rules = { byParent: true, ratio: 0.25, keepsErrors: true };
  const id = (share: number): Uint8Array => {
    const bytes = Buffer.alloc(16);
    bytes[9] = Math.floor(share * 256); // the first of the 56 random bits
    return bytes;
  };
  const decide = (share: number): boolean => isSampled(rules, undefined, id(share));
  assert.equal(decide(0.74), false);
  assert.equal(decide(0.76), true);
  const parent = { traceId: TRACE, spanId: SPAN, isSampled: false };
  assert.equal(isSampled(rules, parent, id(0.76)), false);
  assert.equal(isSampled({ ...rules, byParent: false }, parent, id(0.76)), true);
  assert.equal(isSampled({ ...rules, ratio: 0 }, undefined, Buffer.alloc(16, 255)), false);
});
