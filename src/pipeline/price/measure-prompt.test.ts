import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import type { Block, CanonicalRequest, MediaBlock } from '#canonical';
import { createForeignRequest } from '../../../test/support/foreign-request.ts';
import { measurePrompt } from './measure-prompt.ts';

const textsOf = (...texts: string[]): Block[] => texts.map((text) => ({ type: 'text', text }));

/** The name of the conversation that a prompt belongs to. */
function identify(fields: Partial<CanonicalRequest> = {}): string | undefined {
  return measurePrompt(createForeignRequest(fields), 5_000).conversation;
}

const userSays = (...texts: string[]): CanonicalRequest['turns'][number] => ({
  role: 'user',
  blocks: textsOf(...texts),
});

test('a conversation is known by its first two instructions, as far as their first 256 characters', () => {
  const same = identify({ system: textsOf('a', 'b') });
  assert.equal(identify({ system: textsOf('a', 'b', 'c') }), same);
  assert.notEqual(identify({ system: textsOf('a', 'c') }), same);
  assert.notEqual(identify({ system: textsOf('c', 'b') }), same);
  const long = 'x'.repeat(255);
  assert.equal(
    identify({ system: textsOf(`${long}y1`) }),
    identify({ system: textsOf(`${long}y2`) }),
    'the 257th character',
  );
  assert.notEqual(
    identify({ system: textsOf(`${long}y`) }),
    identify({ system: textsOf(`${long}z`) }),
    'the 256th character',
  );
});

test('a conversation is known by the first four blocks of its first turn, whatever turns follow', () => {
  const same = identify({ turns: [userSays('a', 'b', 'c', 'd')] });
  assert.equal(identify({ turns: [userSays('a', 'b', 'c', 'd', 'e'), userSays('f')] }), same);
  assert.notEqual(identify({ turns: [userSays('a', 'b', 'c', 'e')] }), same);
  assert.notEqual(identify({ turns: [userSays('e', 'b', 'c', 'd')] }), same);
  assert.notEqual(identify({ turns: [] }), same);
});

test('conversations of other models, sessions or numbers of tools are others', () => {
  const tool = { type: 'function', name: 'f' } as const;
  const names = [
    {},
    { model: 'other' },
    { sessionId: 'one' },
    { sessionId: 'two' },
    { tools: [tool] },
    { tools: [tool, tool] },
  ].map(identify);
  assert.equal(new Set(names).size, names.length);
});

test('only a prompt of at least 4,096 bytes of text is a conversation', () => {
  const image: Block = { type: 'media', kind: 'image', source: { base64: 'x'.repeat(100) } };
  const pictured = createForeignRequest({ turns: [{ role: 'user', blocks: [image] }] });
  const hasName = (request: CanonicalRequest, bytes: number) =>
    measurePrompt(request, bytes).conversation !== undefined;
  const plain = createForeignRequest();
  assert.deepEqual([hasName(plain, 4_095), hasName(plain, 4_096)], [false, true]);
  assert.deepEqual([hasName(pictured, 4_195), hasName(pictured, 4_196)], [false, true]);
});

test('a prompt has at most a token for each byte of its text, and what a provider adds', () => {
  const { bound, textBytes, estimate, images } = measurePrompt(createForeignRequest(), 1_001);
  assert.deepEqual([bound, textBytes, estimate, images], [1_065, 1_001, 251, 0]);
  const withTool = createForeignRequest({ tools: [{ type: 'function', name: 'f' }] });
  assert.equal(measurePrompt(withTool, 1_001).bound, 2_089);
  const image: Block = { type: 'media', kind: 'image', source: { base64: 'x'.repeat(900) } };
  const pictured = createForeignRequest({ turns: [{ role: 'user', blocks: [image, image] }] });
  const size = measurePrompt(pictured, 2_001);
  assert.deepEqual([size.bound, size.textBytes, size.estimate, size.images], [265, 201, 3_051, 2]);
  assert.equal(measurePrompt(pictured, 1_799).textBytes, 0, 'never less than nothing');
});

test('a document in the body is held like an image besides its bytes: providers bill its pages as images', () => {
  const blocksOf = (source: MediaBlock['source']): Block[] => [{ type: 'media', kind: 'document', source }];
  const sizeOf = (source: MediaBlock['source']) => {
    const { bound, images } = measurePrompt(createForeignRequest(user(...blocksOf(source))), 1_001);
    return [bound, images];
  };
  assert.deepEqual(sizeOf({ base64: 'x'.repeat(900) }), [1_065, 1]);
  assert.deepEqual(sizeOf({ text: 'x'.repeat(900) }), [1_065, 0]);
  const source = { base64: 'AA' };
  const result: Block = { type: 'tool-result', callId: 'a', blocks: blocksOf(source), isError: false };
  assert.equal(measurePrompt(createForeignRequest(user(result)), 100).images, 1);
});

test('what is known of a prompt with documents holds for the same documents alone', () => {
  const nameOf = (...documents: string[]): string | undefined => {
    const blocks = documents.map((base64): Block => ({
      type: 'media',
      kind: 'document',
      source: { base64 },
    }));
    return measurePrompt(createForeignRequest(user(...blocks)), 100).conversation;
  };
  const start = 'x'.repeat(1_000);
  assert.equal(nameOf(`${start}a`), nameOf(`${start}a`));
  assert.notEqual(nameOf(`${start}a`), nameOf(`${start}b`));
  assert.notEqual(nameOf('a'), nameOf('a', 'a'));
});

test('recordings are held by their length instead of their bytes; one that cannot be counted like a document', () => {
  const recorded = (bytes: Buffer) => {
    const source = { base64: bytes.toString('base64') };
    const request = createForeignRequest(user({ type: 'media', kind: 'audio', source }));
    return measurePrompt(request, source.base64.length + 100);
  };
  const amr = (frames: number) => Buffer.concat([Buffer.from('#!AMR\n'), Buffer.alloc(frames, 15 << 3)]);
  const silence = recorded(amr(5_000));
  assert.deepEqual([silence.textBytes, silence.recordingTokens], [100, 101 * 40]);
  assert.deepEqual([silence.bound, silence.estimate], [100 + 64 + 101 * 40, 25 + 100 * 32]);
  assert.equal(silence.hasDocuments, false);
  assert.equal(recorded(amr(1_000_001)).hasDocuments, true);
  assert.equal(measurePrompt(createForeignRequest(user()), 100).recordingTokens, 0);
});

test('a long prompt has a hash of its images and recordings up to each of them', () => {
  const hashesOf = (...sources: MediaBlock['source'][]) => {
    const blocks = sources.map((source): Block => ({ type: 'media', kind: 'image', source }));
    return measurePrompt(createForeignRequest(user(...blocks)), 10_000).shown ?? [];
  };
  const [one, two, url] = [{ base64: 'AAAA' }, { base64: 'BBBB' }, { url: 'https://example.com/a.png' }];
  const [first, second, third] = hashesOf(one, two, url);
  assert.deepEqual(hashesOf(one, two), [first, second]);
  assert.equal(new Set([first, second, third, hashesOf(two)[0], hashesOf(one, url)[1]]).size, 5);
  assert.equal(hashesOf(two, two)[1] === second, false);
});

test('the images of items that only their format knows are held like others', () => {
  const pictures = ['data:image/png;base64,AAAA', 'file_1'];
  const native: Block = { type: 'native', format: 'responses', value: {}, pictures };
  const { images, textBytes, shown } = measurePrompt(createForeignRequest(user(native)), 10_032);
  assert.deepEqual([images, textBytes, shown?.length], [2, 10_000, 2]);
  assert.deepEqual(listSpecial(user(native)), ['inputImage']);
});

/** The parts of a prompt that have prices of their own; the others are always possible. */
function listSpecial(fields: Partial<CanonicalRequest>): string[] {
  const { parts } = measurePrompt(createForeignRequest(fields), 100);
  const plain = ['inputUncached', 'inputCacheRead', 'inputCacheWrite5m'];
  assert.deepEqual(parts.slice(0, 3), plain);
  return parts.slice(3);
}

const user = (...blocks: Block[]): Partial<CanonicalRequest> => ({ turns: [{ role: 'user', blocks }] });
const inBody = (body: CanonicalRequest['origin']['body']): Partial<CanonicalRequest> => ({
  origin: { format: 'messages', body },
});

test('a prompt may be billed as audio, as images and as a long cache only if it may contain them', () => {
  const source = { base64: 'AA' };
  const mark = { cache: { ttl: '1h' } } as const;
  assert.deepEqual(listSpecial({}), []);
  assert.deepEqual(listSpecial(user({ type: 'media', kind: 'image', source })), ['inputImage']);
  assert.deepEqual(listSpecial(user({ type: 'media', kind: 'audio', source })), ['inputAudio']);
  const address = { url: 'https://example.com/a' };
  const fetched: Block = { type: 'media', kind: 'document', source: address };
  assert.deepEqual(listSpecial(user(fetched)), ['inputAudio', 'inputImage']);
  assert.deepEqual(listSpecial(user({ type: 'text', text: 'x', ...mark })), ['inputCacheWrite1h']);
  const tool = { type: 'function', name: 'f' } as const;
  assert.deepEqual(listSpecial({ tools: [tool] }), []);
  assert.deepEqual(listSpecial({ tools: [tool, { ...tool, ...mark }] }), ['inputCacheWrite1h']);
  assert.deepEqual(listSpecial(inBody({ cache_control: { type: 'ephemeral' } })), ['inputCacheWrite1h']);
  assert.deepEqual(listSpecial(inBody({ cache_control: null })), []);
});

test('a prompt to which the provider adds what it fetches has no bound', () => {
  const isUnbounded = (fields: Partial<CanonicalRequest>): boolean =>
    measurePrompt(createForeignRequest(fields), 100).bound === Infinity;
  const ask = (format: 'messages' | 'gemini', value: JsonObject): boolean =>
    isUnbounded({ tools: [{ type: 'native', format, value }] });
  const messages = ['web_search_20250305', 'code_execution_20250522', 'mcp_toolset', 'bash_20250124'];
  assert.deepEqual(
    messages.map((type) => ask('messages', { type })),
    [true, true, true, false],
  );
  const gemini = ['urlContext', 'url_context', 'fileSearch', 'codeExecution', 'googleMaps'];
  assert.deepEqual(
    gemini.map((name) => ask('gemini', { [name]: {} })),
    [true, true, true, true, false],
  );
  assert.equal(ask('messages', { type: 7 }), false);
  assert.equal(isUnbounded({ tools: [{ type: 'function', name: 'web_search' }] }), false);
  assert.equal(isUnbounded(inBody({ mcp_servers: [{}] })), true);
  for (const servers of [[], null]) assert.equal(isUnbounded(inBody({ mcp_servers: servers })), false);
});
