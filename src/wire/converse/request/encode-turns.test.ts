import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { type Block, CONVERSE_DIALECT, type CacheMark, type CanonicalRequest } from '#canonical';
import {
  WEATHER,
  createCall as call,
  createResult as result,
  createText as text,
  encodeConverse as encode,
  messagesOf,
} from '../../../../test/support/converse-exchange.ts';

test('[D-30] blank text is omitted, with a placeholder only where a text is mandatory', () => {
  const body = encode({
    turns: [
      { role: 'user', blocks: [text(' \n'), text('Go.')] },
      { role: 'assistant', blocks: [text(''), call('c1')] },
      { role: 'user', blocks: [result('c1', [text(' ')])] },
    ],
    tools: [WEATHER],
  });
  assert.deepEqual(messagesOf(body), [
    { role: 'user', content: [{ text: 'Go.' }] },
    { role: 'assistant', content: [{ toolUse: { toolUseId: 'c1', name: 'weather', input: {} } }] },
    { role: 'user', content: [{ toolResult: { toolUseId: 'c1', content: [{ text: '…' }] } }] },
  ]);
  assert.deepEqual(messagesOf(encode({ turns: [{ role: 'user', blocks: [text(' ')] }] })), [
    { role: 'user', content: [{ text: '…' }] },
  ]);
});

test('[D-84] results come first in the next user turn, one for each call', () => {
  const body = encode({
    tools: [WEATHER],
    turns: [
      { role: 'user', blocks: [text('Go.')] },
      { role: 'assistant', blocks: [call('c1'), call('c2'), call('c3')] },
      {
        role: 'user',
        blocks: [text('Also this.'), result('c2', [text('rain')], true), result('c1'), result('lost')],
      },
      { role: 'user', blocks: [result('c1', [text('still')])] },
    ],
  });
  const [, , answer] = messagesOf(body);
  assert.deepEqual(answer?.content.slice(0, 3), [
    { toolResult: { toolUseId: 'c2', content: [{ text: 'rain' }], status: 'error' } },
    { toolResult: { toolUseId: 'c1', content: [{ text: 'sunny' }, { text: 'still' }] } },
    {
      toolResult: {
        toolUseId: 'c3',
        content: [{ text: 'the tool call was interrupted and gave no result' }],
        status: 'error',
      },
    },
  ]);
  assert.deepEqual(answer.content.slice(3), [
    { text: 'Also this.' },
    { text: 'Result of an earlier tool call (lost): sunny' },
  ]);
  assert.equal(messagesOf(body).length, 3);
});

test('[D-19] [D-21] tool ids are shortened to fit, stay paired and distinct, also if a client repeats them', () => {
  const turn = (id: string): CanonicalRequest['turns'] => [
    { role: 'assistant', blocks: [call(id)] },
    { role: 'user', blocks: [result(id)] },
  ];
  const turns = [...turn('functions.Bash:0'), ...turn('functions.Bash:0'), ...turn('fits')];
  const idsOf = (body: JsonObject) =>
    messagesOf(body).flatMap(({ content }) =>
      content.flatMap((block) => {
        const tool = (block['toolUse'] ?? block['toolResult']) as { toolUseId: string } | undefined;
        return tool ? [tool.toolUseId] : [];
      }),
    );
  const ids = idsOf(encode({ turns }));
  assert.deepEqual(
    [ids[0] === ids[1], ids[2] === ids[3], ids[0] === ids[2], ids[4]],
    [true, true, false, 'fits'],
  );
  for (const id of ids) assert.match(id, /^[a-zA-Z0-9_-]{1,64}$/);
  const rule = { maxLength: 9, alphabet: 'alphanumeric', exactLength: 9 } as const;
  for (const id of idsOf(encode({ turns }, { toolCallId: rule }))) assert.match(id, /^[a-zA-Z0-9]{9}$/);
});

test('[D-31] images and documents are sent as bytes, in results too, and documents get distinct names', () => {
  const media = (kind: 'image' | 'document', mediaType: string, title?: string): Block => ({
    type: 'media',
    kind,
    mediaType,
    source: { base64: 'AAAA' },
    ...(title !== undefined && { title }),
  });
  const body = encode({
    tools: [WEATHER],
    turns: [
      {
        role: 'user',
        blocks: [
          media('document', 'application/pdf', 'Ä report_1.pdf'),
          media('document', 'text/csv', 'Ä report_1.pdf'),
        ],
      },
      { role: 'assistant', blocks: [call('c1')] },
      { role: 'user', blocks: [result('c1', [media('image', 'image/png')])] },
    ],
  });
  const [first, , last] = messagesOf(body);
  assert.deepEqual(first?.content, [
    { document: { format: 'pdf', name: '- report-1-pdf', source: { bytes: 'AAAA' } } },
    { document: { format: 'csv', name: '- report-1-pdf 2', source: { bytes: 'AAAA' } } },
    { text: '…' },
  ]);
  const image = { image: { format: 'png', source: { bytes: 'AAAA' } } };
  assert.deepEqual(last?.content, [{ toolResult: { toolUseId: 'c1', content: [image] } }]);
  const user = (block: Block) => ({ turns: [{ role: 'user' as const, blocks: [block] }] });
  assert.throws(
    () => encode(user({ type: 'media', kind: 'image', source: { url: 'https://x.test/a.png' } })),
    /by URL/,
  );
  assert.throws(() => encode(user(media('image', 'image/tiff'))), /image\/tiff/);
  assert.throws(
    () => encode(user(media('image', 'image/png')), { media: { ...CONVERSE_DIALECT.media, image: false } }),
    /images/,
  );
});

test('a document keeps room for a number behind its name, and the parameters of its type do not matter', () => {
  const document: Block = {
    type: 'media',
    kind: 'document',
    mediaType: 'Text/CSV; charset=utf-8',
    source: { base64: 'AAAA' },
    title: 'x'.repeat(300),
  };
  const body = encode({ turns: [{ role: 'user', blocks: [document, document] }] });
  const documents = messagesOf(body)[0]?.content.flatMap((block) => block['document'] ?? []) as JsonObject[];
  assert.deepEqual(
    documents.map(({ format, name }) => [format, name]),
    [
      ['csv', 'x'.repeat(195)],
      ['csv', `${'x'.repeat(195)} 2`],
    ],
  );
  const media = { ...CONVERSE_DIALECT.media, document: false };
  assert.throws(() => encode({ turns: [{ role: 'user', blocks: [document] }] }, { media }), /documents/);
  const audio: Block = { type: 'media', kind: 'audio', source: { base64: 'AAAA' } };
  assert.throws(() => encode({ turns: [{ role: 'user', blocks: [audio] }] }), /audio/);
});

test('a block of Converse’s own is sent as it is, one of another format as text', () => {
  const value = { guardContent: { text: { text: 'x' } } };
  const native = (format: 'converse' | 'messages'): Block => ({ type: 'native', format, value });
  const send = (block: Block) =>
    messagesOf(encode({ turns: [{ role: 'user', blocks: [block] }] }))[0]?.content;
  assert.deepEqual(send(native('converse')), [value]);
  assert.deepEqual(Object.keys(send(native('messages'))?.[0] ?? {}), ['text']);
});

test('a text document is sent as text, with its title and context', () => {
  const block: Block = {
    type: 'media',
    kind: 'document',
    source: { text: 'body' },
    title: 'T',
    context: 'C',
  };
  const body = encode({ turns: [{ role: 'user', blocks: [block] }] });
  assert.deepEqual(messagesOf(body)[0]?.content, [{ text: 'T\nC\nbody' }]);
});

test('[D-41] [D-44] reasoning is returned with its signature, only to its issuer', () => {
  const turns: CanonicalRequest['turns'] = [
    { role: 'user', blocks: [text('Go.')] },
    {
      role: 'assistant',
      blocks: [
        { type: 'reasoning', text: 'own', signature: 's1', issuer: 'bedrock' },
        { type: 'reasoning', text: '', redacted: 'cmVk', issuer: 'bedrock' },
        { type: 'reasoning', text: 'foreign', signature: 's2', issuer: 'anthropic' },
        { type: 'reasoning', text: '', redacted: 'Zm9y', issuer: 'openai' },
        { type: 'reasoning', text: 'plain' },
        text('Done.'),
      ],
    },
    { role: 'user', blocks: [text('More.')] },
  ];
  const own = [
    { reasoningContent: { reasoningText: { text: 'own', signature: 's1' } } },
    { reasoningContent: { redactedContent: 'cmVk' } },
  ];
  assert.deepEqual(messagesOf(encode({ turns }))[1]?.content, [...own, { text: 'Done.' }]);
  assert.deepEqual(messagesOf(encode({ turns }, { reasoningReplay: 'reasoning_content' }))[1]?.content, [
    ...own,
    { reasoningContent: { reasoningText: { text: 'plain' } } },
    { text: 'Done.' },
  ]);
});

test('[D-74] [D-75] a cache point follows what was marked, never an empty text and never reasoning', () => {
  const point = { cachePoint: { type: 'default' } };
  const body = encode(
    {
      system: [text('Be brief.', { cache: { ttl: '1h' } })],
      tools: [{ ...WEATHER, cache: { ttl: '1h' } }],
      turns: [
        { role: 'user', blocks: [text('Go.'), text('', { cache: {} })] },
        {
          role: 'assistant',
          blocks: [
            call('c1'),
            { type: 'reasoning', text: 'x', signature: 's', issuer: 'bedrock', cache: {} },
          ],
        },
        { role: 'user', blocks: [{ ...result('c1'), cache: {} }] },
      ],
    },
    { cacheMarks: 'cachePoint' },
  );
  assert.deepEqual(body['system'], [{ text: 'Be brief.' }, { cachePoint: { type: 'default', ttl: '1h' } }]);
  const [user, assistant, answer] = messagesOf(body);
  assert.deepEqual(user?.content, [{ text: 'Go.' }, point]);
  assert.deepEqual(
    assistant?.content.map((block) => Object.keys(block)[0]),
    ['toolUse', 'cachePoint', 'reasoningContent'],
  );
  assert.deepEqual(answer?.content.at(-1), point);
  const tools = (body['toolConfig'] as { tools: JsonObject[] }).tools;
  assert.equal(tools.length, 1, 'of five marks the first gives way');
});

test('a cache point follows its own block alone, or the block before if that is not sent', () => {
  const contentsOf = (last: Block, before: Block = text('b')) => {
    const turns: CanonicalRequest['turns'] = [
      { role: 'user', blocks: [text('a')] },
      { role: 'assistant', blocks: [before] },
      { role: 'user', blocks: [last] },
    ];
    return messagesOf(encode({ turns }, { cacheMarks: 'cachePoint' })).map(({ content }) => content);
  };
  const point = { cachePoint: { type: 'default' } };
  assert.deepEqual(contentsOf(text('c', { cache: {} })), [
    [{ text: 'a' }],
    [{ text: 'b' }],
    [{ text: 'c' }, point],
  ]);
  assert.deepEqual(contentsOf(text('', { cache: {} }))[1], [{ text: 'b' }, point]);
  assert.deepEqual(contentsOf(result('c1'), { ...call('c1'), cache: {} })[1]?.at(-1), point);
});

test('a mark within a result is the result’s', () => {
  const blocks = [text('sunny', { cache: { ttl: '1h' } }), text('warm', { cache: {} })];
  const turns: CanonicalRequest['turns'] = [
    { role: 'user', blocks: [text('Go.')] },
    { role: 'assistant', blocks: [call('c1')] },
    { role: 'user', blocks: [result('c1', blocks)] },
  ];
  const { content } = messagesOf(encode({ turns, tools: [WEATHER] }, { cacheMarks: 'cachePoint' }))[2] ?? {};
  assert.deepEqual(content?.at(-1), { cachePoint: { type: 'default', ttl: '1h' } });
});

test('the mark of an instruction that is not sent is dropped', () => {
  const system = [text('', { cache: {} }), text('Be brief.'), text('Be kind.')];
  const body = encode({ system }, { cacheMarks: 'cachePoint' });
  assert.deepEqual(body['system'], [{ text: 'Be brief.' }, { text: 'Be kind.' }]);
});

test('[D-76] [D-77] at most four cache points are sent, and none of an hour behind one of five minutes', () => {
  const turns = [{}, {}, { ttl: '1h' }, {}, { ttl: '1h' }].map((cache, at) => ({
    role: at % 2 === 0 ? ('user' as const) : ('assistant' as const),
    blocks: [text(`t${at}`, { cache: cache as CacheMark })],
  }));
  const body = encode({ turns }, { cacheMarks: 'cachePoint' });
  const points = messagesOf(body).flatMap(({ content }) => content.filter((block) => block['cachePoint']));
  assert.deepEqual(
    points,
    Array.from({ length: 4 }, () => ({ cachePoint: { type: 'default' } })),
  );
  assert.doesNotMatch(JSON.stringify(encode({ turns })), /cachePoint/);
});

test('[D-32] instructions mid-conversation become user messages', () => {
  const body = encode({
    turns: [
      { role: 'user', blocks: [text('a')] },
      { role: 'system', blocks: [text('b')] },
      { role: 'user', blocks: [text('c')] },
    ],
  });
  assert.deepEqual(messagesOf(body), [
    { role: 'user', content: [{ text: 'a' }, { text: 'b' }, { text: 'c' }] },
  ]);
});

test('a text of the user keeps its last white space', () => {
  const turns: CanonicalRequest['turns'] = [{ role: 'user', blocks: [text('Go. ')] }];
  assert.deepEqual(messagesOf(encode({ turns }))[0]?.content, [{ text: 'Go. ' }]);
});

test('a conversation that the assistant began or ended gets the user it needs', () => {
  const turns: CanonicalRequest['turns'] = [{ role: 'assistant', blocks: [text('I start. ')] }];
  const prefilled = messagesOf(encode({ turns }));
  assert.deepEqual(
    prefilled.map(({ role }) => role),
    ['user', 'assistant'],
  );
  assert.deepEqual(prefilled[1]?.content, [{ text: 'I start.' }]);
  assert.deepEqual(
    messagesOf(encode({ turns }, { prefill: false })).map(({ role }) => role),
    ['user', 'assistant', 'user'],
  );
});
