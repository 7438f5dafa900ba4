import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import type { Block, NativeTool, Tool, ToolChoice, ToolResultBlock } from '#canonical';
import { encodeTurns, openGemini } from '../../../test/support/gemini-exchange.ts';
import { PartWriter } from './answer/encode-parts.ts';

const F: Tool = { type: 'function', name: 'f' };
const native = (format: NativeTool['format'], value: JsonObject): Tool => ({ type: 'native', format, value });
const SEARCH = native('messages', { type: 'web_search_20250305', name: 'web_search' });

test('functions come first, Google’s own tools after them, a search only alone, and unknown tools not at all', () => {
  const send = (...tools: Tool[]) => openGemini({ tools }).body['tools'];
  const declared = { functionDeclarations: [{ name: 'f' }] };
  const code = { codeExecution: {} };
  assert.equal(send(), undefined);
  assert.deepEqual(send(F), [declared]);
  assert.deepEqual(send(native('gemini', code), F), [declared, code]);
  assert.deepEqual(send(SEARCH), [{ googleSearch: {} }]);
  assert.deepEqual(send(SEARCH, F), [declared]);
  assert.equal(send(native('messages', { type: 'oracle_20290101', name: 'o' })), undefined);
  assert.deepEqual(send({ ...F, description: '' }, { ...F, description: 'An f.' }), [
    { functionDeclarations: [{ name: 'f' }, { name: 'f', description: 'An f.' }] },
  ]);
});

test('a choice of tools is sent as far as Google knows it', () => {
  const send = (toolChoice: ToolChoice, forcedToolChoice = true) => {
    const { body } = openGemini({ tools: [F], toolChoice }, { forcedToolChoice });
    return (body['toolConfig'] as JsonObject | undefined)?.['functionCallingConfig'];
  };
  assert.deepEqual(send({ type: 'auto' }), { mode: 'AUTO' });
  assert.deepEqual(send({ type: 'none' }), { mode: 'NONE' });
  assert.deepEqual(
    [send({ type: 'any' }), send({ type: 'any' }, false)],
    [{ mode: 'ANY' }, { mode: 'AUTO' }],
  );
  assert.deepEqual(send({ type: 'tool', name: 'f' }), { mode: 'ANY', allowedFunctionNames: ['f'] });
  assert.deepEqual(send({ type: 'tool', name: 'g' }), { mode: 'AUTO' });
  assert.deepEqual(send({ type: 'tool', name: 'f' }, false), { mode: 'AUTO' });
  const allow = (allowed: unknown) =>
    send({
      type: 'native',
      format: 'chat',
      value: { type: 'allowed_tools', allowed_tools: allowed } as JsonObject,
    });
  const named = [
    { type: 'function', function: { name: 'f' } },
    { type: 'function', name: 'g' },
    5,
    { type: 'x' },
  ];
  const allowedFunctionNames = ['f', 'g'];
  assert.deepEqual(allow({ mode: 'auto', tools: named }), { mode: 'VALIDATED', allowedFunctionNames });
  assert.deepEqual(allow({ mode: 'required', tools: named }), { mode: 'ANY', allowedFunctionNames });
  for (const odd of ['text', { mode: 'auto' }, { mode: 'auto', tools: [] }])
    assert.equal(allow(odd), undefined);
});

test('a result has the words of its blocks, and points to its media where they stand beside it', () => {
  const image: Block = { type: 'media', kind: 'image', mediaType: 'image/png', source: { base64: 'AAAA' } };
  const send = (blocks: Block[], more: Partial<ToolResultBlock> = {}): unknown => {
    const contents = encodeTurns(
      [
        { role: 'user', blocks: [{ type: 'text', text: 'go' }] },
        { role: 'assistant', blocks: [{ type: 'tool-call', id: 'a', name: 'f', input: { value: {} } }] },
        { role: 'user', blocks: [{ type: 'tool-result', callId: 'a', blocks, isError: false, ...more }] },
      ],
      { resultMedia: false, thoughtSignatures: 'optional' },
    ) as { parts: { functionResponse?: JsonObject }[] }[];
    return contents[2]?.parts[0]?.functionResponse?.['response'];
  };
  const reference: Block = { type: 'native', format: 'messages', value: { tool_name: 'g' } };
  const unknown: Block = { type: 'native', format: 'messages', value: { tool_name: 5 } };
  const text: Block = { type: 'text', text: 'done' };
  assert.deepEqual(send([]), { output: '' });
  assert.deepEqual(send([text, reference, unknown]), { output: 'done\nTool available: g' });
  assert.deepEqual(send([text], { isError: true }), { error: 'done' });
  assert.deepEqual(send([image]), { output: 'see the media behind the results' });
  assert.deepEqual(send([text, image]), { output: 'done' });
});

test('an answer’s media, calls and blocks of Google’s are parts; signatures are on what they sign', () => {
  const write = (...blocks: Block[]) => {
    const writer = new PartWriter(true);
    const parts = blocks.flatMap((block) => writer.encode(block));
    return [...parts, ...writer.flush()];
  };
  const media = (kind: 'image' | 'audio' | 'document', source: object, more: object = {}): Block =>
    ({ type: 'media', kind, source, ...more }) as Block;
  const inline = (mimeType: string) => ({ inlineData: { mimeType, data: 'AAAA' } });
  const bytes = { base64: 'AAAA' };
  assert.deepEqual(write(media('image', bytes), media('audio', bytes), media('document', bytes)), [
    inline('image/png'),
    inline('audio/wav'),
    inline('application/pdf'),
  ]);
  assert.deepEqual(write(media('image', bytes, { mediaType: 'image/webp' })), [inline('image/webp')]);
  const file = { fileData: { mimeType: 'image/png', fileUri: 'files/a' } };
  assert.deepEqual(write(media('image', { fileId: 'files/a', format: 'gemini' })), [file]);
  assert.deepEqual(write(media('image', { url: 'files/a' })), [file]);
  assert.deepEqual(write(media('document', { text: 'Hi' })), [{ text: 'Hi' }]);
  assert.deepEqual(write(media('document', { blocks: [] })), [{ text: '' }]);
  const signed = { gemini: { thoughtSignature: 's' } };
  assert.deepEqual(write(media('image', bytes, { extra: signed })), [
    { ...inline('image/png'), ...signed.gemini },
  ]);

  const code = { executableCode: { code: '1' } };
  const own = (format: 'gemini' | 'messages'): Block => ({ type: 'native', format, value: code });
  assert.deepEqual(write(own('gemini'), own('messages')), [code]);

  const call = (input: object, more: object = {}): Block =>
    ({ type: 'tool-call', id: 'a', name: 'f', input, ...more }) as Block;
  const written = (args: object) => [{ functionCall: { id: 'a', name: 'f', args } }];
  assert.deepEqual(write(call({ value: { a: 1 } })), written({ a: 1 }));
  assert.deepEqual(write(call({ json: '{"a":1}' })), written({ a: 1 }));
  assert.deepEqual(write(call({ json: 'free' }, { custom: true })), written({ input: 'free' }));
  const writer = new PartWriter(true);
  assert.deepEqual([writer.encode(call({ json: '{"a' })), writer.hasMalformedCall], [[], true]);
});
