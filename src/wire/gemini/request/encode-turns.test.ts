import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Block, ToolCallBlock, ToolResultBlock, Turn } from '#canonical';
import { encodeTurns, openGemini } from '../../../../test/support/gemini-exchange.ts';

const PNG: Block = { type: 'media', kind: 'image', mediaType: 'image/png', source: { base64: 'AAAA' } };
const INLINE = { inlineData: { mimeType: 'image/png', data: 'AAAA' } };
const UNSIGNED = { thoughtSignatures: 'optional' } as const;
const STAND_IN = 'skip_thought_signature_validator';

const text = (value: string): Block => ({ type: 'text', text: value });
const user = (...blocks: Block[]): Turn => ({ role: 'user', blocks });
const model = (...blocks: Block[]): Turn => ({ role: 'assistant', blocks });
const call = (id: string, name = 'look'): ToolCallBlock => ({
  type: 'tool-call',
  id,
  name,
  input: { value: { of: id } },
});
const result = (callId: string, ...blocks: Block[]): ToolResultBlock => ({
  type: 'tool-result',
  callId,
  blocks,
  isError: false,
});
const signature = (value: string, issuer = 'google'): Block => ({
  type: 'reasoning',
  text: '',
  signature: value,
  issuer,
});

test('turns of one role are one content, and the first is the user’s', () => {
  const turns = [
    model(text('a')),
    user(text('b')),
    user(text(''), text('c')),
    { role: 'system' as const, blocks: [text('d')] },
  ];
  assert.deepEqual(encodeTurns(turns), [
    { role: 'user', parts: [{ text: '…' }] },
    { role: 'model', parts: [{ text: 'a' }] },
    { role: 'user', parts: [{ text: 'b' }, { text: 'c' }, { text: 'd' }] },
  ]);
});

test('[D-84] results directly follow their calls, one for each, in the same order', () => {
  const turns = [
    user(text('go')),
    model(text('ok'), call('c1'), call('c2', 'find'), call('c3')),
    user(text('by the way'), result('c2', text('two'))),
    user({ ...result('c1', text('one')), isError: true }, result('stray', text('lost'))),
  ];
  assert.deepEqual(encodeTurns(turns, UNSIGNED), [
    { role: 'user', parts: [{ text: 'go' }] },
    {
      role: 'model',
      parts: [
        { text: 'ok' },
        { functionCall: { id: 'c1', name: 'look', args: { of: 'c1' } } },
        { functionCall: { id: 'c2', name: 'find', args: { of: 'c2' } } },
        { functionCall: { id: 'c3', name: 'look', args: { of: 'c3' } } },
      ],
    },
    {
      role: 'user',
      parts: [
        { functionResponse: { id: 'c1', name: 'look', response: { error: 'one' } } },
        { functionResponse: { id: 'c2', name: 'find', response: { output: 'two' } } },
        {
          functionResponse: {
            id: 'c3',
            name: 'look',
            response: { error: 'the tool call was interrupted and gave no result' },
          },
        },
        { text: 'by the way' },
        { text: 'Result of an earlier tool call (stray): lost' },
      ],
    },
  ]);
});

test('calls that nothing follows are answered all the same', () => {
  const contents = encodeTurns(
    [user(text('go')), model(call('c1')), model(text('and')), user(text('?'))],
    UNSIGNED,
  ) as { parts: object[] }[];
  assert.equal(contents.length, 3);
  assert.ok('functionResponse' in contents[2]!.parts[0]!);
});

test('[D-31] images in results are sent inside the response if the model supports it, otherwise after all results', () => {
  const turns = [
    user(text('go')),
    model(call('c1'), call('c2')),
    user(result('c1', text('a'), PNG), result('c2', text('b'))),
  ];
  const partsOf = (resultMedia: boolean): unknown =>
    (encodeTurns(turns, { ...UNSIGNED, resultMedia }) as { parts: unknown[] }[])[2]?.parts;
  const two = { functionResponse: { id: 'c2', name: 'look', response: { output: 'b' } } };
  assert.deepEqual(partsOf(true), [
    { functionResponse: { id: 'c1', name: 'look', response: { output: 'a' }, parts: [INLINE] } },
    two,
  ]);
  assert.deepEqual(partsOf(false), [
    { functionResponse: { id: 'c1', name: 'look', response: { output: 'a' } } },
    two,
    { text: 'From the result of look (c1):' },
    INLINE,
  ]);
});

test('[D-47] a signature is returned unchanged on the call it preceded', () => {
  const turns = [
    user(text('go')),
    model(signature('s1'), call('c1'), call('c2'), signature('s3'), call('c3')),
  ];
  const [, content] = encodeTurns([...turns, user(text('x'))]) as {
    parts: { thoughtSignature?: string }[];
  }[];
  assert.deepEqual(
    content?.parts.map((part) => part.thoughtSignature),
    ['s1', undefined, 's3'],
  );
});

test('[D-47] of more signatures than calls the last go on the calls, the others on empty texts', () => {
  const blocks = [text('I look.'), signature('s1'), signature('s2'), call('c1')];
  const turns = [user(text('go')), model(...blocks), user(result('c1'))];
  const [, content] = encodeTurns(turns) as { parts: unknown[] }[];
  assert.deepEqual(content?.parts, [
    { text: 'I look.' },
    { text: '', thoughtSignature: 's1' },
    { functionCall: { id: 'c1', name: 'look', args: { of: 'c1' } }, thoughtSignature: 's2' },
  ]);
});

test('[D-47] a signature that Chat moved before the text still reaches the call', () => {
  const turns = [user(text('go')), model(signature('s1'), text('I look.'), call('c1')), user(result('c1'))];
  assert.deepEqual((encodeTurns(turns) as unknown[])[1], {
    role: 'model',
    parts: [
      { text: 'I look.' },
      { functionCall: { id: 'c1', name: 'look', args: { of: 'c1' } }, thoughtSignature: 's1' },
    ],
  });
});

test('[D-47] calls of another model get the documented placeholder once per step if signatures are required', () => {
  const turns = [
    user(text('go')),
    model(signature('sig', 'anthropic'), call('c1'), call('c2')),
    user(result('c1'), result('c2')),
    model(call('c3')),
    user(result('c3')),
  ];
  const signaturesOf = (contents: unknown): unknown[] =>
    (contents as { role: string; parts: { thoughtSignature?: string }[] }[])
      .filter(({ role }) => role === 'model')
      .map(({ parts }) => parts.map((part) => part.thoughtSignature));
  assert.deepEqual(signaturesOf(encodeTurns(turns)), [[STAND_IN, undefined], [STAND_IN]]);
  assert.deepEqual(signaturesOf(encodeTurns(turns, UNSIGNED)), [[undefined, undefined], [undefined]]);
});

test('a signature after the text is returned on an empty text, and thinking only with its own signature', () => {
  const turns = [
    user(text('go')),
    model(
      { type: 'reasoning', text: 'plain' },
      { type: 'reasoning', text: 'own', signature: 's0', issuer: 'google' },
      { type: 'reasoning', text: 'foreign', signature: 's9', issuer: 'anthropic' },
      { type: 'reasoning', text: '', redacted: 'r', issuer: 'google' },
      text('done'),
      signature('s1'),
    ),
    user(text('x')),
  ];
  assert.deepEqual((encodeTurns(turns) as unknown[])[1], {
    role: 'model',
    parts: [
      { text: 'own', thought: true, thoughtSignature: 's0' },
      { text: 'done' },
      { text: '', thoughtSignature: 's1' },
    ],
  });
});

test('arguments are an object, whatever the client replayed', () => {
  const odd = (json: string): ToolCallBlock => ({ type: 'tool-call', id: 'c', name: 'f', input: { json } });
  for (const [json, args] of [
    ['', {}],
    ['null', {}],
    ['{"a":1}', { a: 1 }],
    ['{"a":', {}],
  ] as const) {
    const [, content] = encodeTurns([user(text('go')), model(odd(json)), user(text('x'))], UNSIGNED) as {
      parts: { functionCall: { args: unknown } }[];
    }[];
    assert.deepEqual(content?.parts[0]?.functionCall.args, args, json);
  }
});

test('media are bytes, files of Google or nothing that is hidden', () => {
  const at = (url: string, rest: object = {}): Block => ({
    type: 'media',
    kind: 'image',
    source: { url },
    ...rest,
  });
  const encode = (block: Block, imageUrl = false): unknown => {
    const media = { image: true, imageUrl, document: true, audio: false };
    const [content] = encodeTurns([user(block)], { media }) as { parts: unknown[] }[];
    return content?.parts[0];
  };
  assert.deepEqual(encode(at('gs://bucket/a.webp')), {
    fileData: { mimeType: 'image/webp', fileUri: 'gs://bucket/a.webp' },
  });
  assert.deepEqual(encode(at('https://www.youtube.com/watch?v=1')), {
    fileData: { fileUri: 'https://www.youtube.com/watch?v=1' },
  });
  const file = 'https://generativelanguage.googleapis.com/v1beta/files/abc';
  assert.deepEqual(encode(at(file, { mediaType: 'image/jpg' })), {
    fileData: { mimeType: 'image/jpeg', fileUri: file },
  });
  assert.deepEqual(encode(at('https://a/b'), true), {
    fileData: { mimeType: 'image/png', fileUri: 'https://a/b' },
  });
  const refused: Block[] = [
    at('https://a/b.png'),
    { type: 'media', kind: 'audio', mediaType: 'audio/wav', source: { base64: 'AA' } },
    { type: 'media', kind: 'document', source: { fileId: 'f', format: 'messages' } },
  ];
  for (const block of refused) assert.throws(() => encode(block), { code: 'unsupported_feature' });
});

test('a text document is sent as text, followed by its images', () => {
  const document: Block = {
    type: 'media',
    kind: 'document',
    title: 'Notes',
    source: { blocks: [text('first'), PNG] },
  };
  assert.deepEqual(encodeTurns([user(document)]), [
    { role: 'user', parts: [{ text: 'Notes\nfirst' }, INLINE] },
  ]);
});

test('a text document in a result is sent as text, an image as an image without its title', () => {
  const document: Block = { type: 'media', kind: 'document', title: 'Notes', source: { text: 'first' } };
  const picture: Block = { ...PNG, title: 'Sloth' };
  const turns = [user(text('go')), model(call('c1')), user(result('c1', document, picture))];
  const [, , answer] = encodeTurns(turns, UNSIGNED) as { parts: unknown[] }[];
  const functionResponse = { id: 'c1', name: 'look', response: { output: 'Notes\nfirst' }, parts: [INLINE] };
  assert.deepEqual(answer?.parts, [{ functionResponse }]);
});

test('a conversation that ends with the assistant is refused by name', () => {
  const turns = [user(text('go')), model(text('{'))];
  assert.throws(() => openGemini({ turns }), /ends with the assistant/);
  assert.equal((openGemini({ turns }, { prefill: true }).body['contents'] as unknown[]).length, 2);
});

test('a block of another format is omitted from the user’s turn, and Gemini’s own is sent unchanged', () => {
  const own: Block = {
    type: 'native',
    format: 'gemini',
    value: { codeExecutionResult: { outcome: 'OUTCOME_OK' } },
  };
  const foreign: Block = {
    type: 'native',
    format: 'messages',
    value: { type: 'container_upload', file_id: 'f' },
  };
  assert.deepEqual(encodeTurns([user(text('a'), foreign, own)]), [
    { role: 'user', parts: [{ text: 'a' }, own.value] },
  ]);
});
