import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Block, Finish, TextBlock } from '#canonical';
import { OutputList, encodeAnnotations, showsAnything } from './output-list.ts';

const PLACED = new Map([['mcp__f', { namespace: 'mcp', name: 'f' }]]);
const create = (): OutputList => new OutputList('resp_1', PLACED);
const text = (words: string, more: Partial<TextBlock> = {}): TextBlock => ({
  type: 'text',
  text: words,
  ...more,
});
const CALL = { type: 'function_call', id: 'fc_a', call_id: 'call_a', name: 'mcp__f', arguments: '{}' };

test('an upstream’s item keeps its id and its call’s id while they are free, and gets its namespace back', () => {
  const list = create();
  const placed = list.add(CALL);
  assert.deepEqual(placed, { item: { ...CALL, namespace: 'mcp', name: 'f' }, index: 0, isNew: true });
  const again = list.add(CALL).item;
  assert.notEqual(again.id, CALL.id);
  assert.notEqual(again.call_id, CALL.call_id);
  const own = { ...CALL, id: 'fc_b', call_id: 'call_b', namespace: 'other' };
  assert.deepEqual(list.add(own).item, own, 'it has a namespace already');
  const custom = { type: 'custom_tool_call', id: 'ctc_a', call_id: 'call_c', name: 'mcp__f', input: '' };
  assert.deepEqual(list.add(custom).item, { ...custom, namespace: 'mcp', name: 'f' });
  const output = { type: 'function_call_output', id: 'fco_a', call_id: 'call_a', output: 'x' };
  assert.deepEqual(list.add(output).item, output, 'names a call, and is none');
  const message = { type: 'message', id: '', content: [] };
  assert.match(JSON.stringify(list.add(message).item.id), /^"item_1/);
});

test('an item’s final state has the ids it was announced with', () => {
  const list = create();
  list.add(CALL);
  const placed = list.add(CALL);
  const { id, call_id: callId } = placed.item;
  list.replace(placed, { ...CALL, arguments: '{"a":1}', status: 'completed' });
  const final = { ...CALL, namespace: 'mcp', name: 'f', arguments: '{"a":1}', status: 'completed' };
  assert.deepEqual(list.items[1], { ...final, id, call_id: callId });
  const message = list.add({ type: 'message', id: 'msg_a', content: [] });
  list.replace(message, { type: 'message', id: 'msg_b', content: [], role: 'assistant' });
  assert.deepEqual(list.items[2], { type: 'message', id: 'msg_a', content: [], role: 'assistant' });
});

test('what Responses cannot represent is no item, images are, with their format', () => {
  const open = (block: Block) => create().open(block)?.item;
  const image = (more: object): Block => ({
    type: 'media',
    kind: 'image',
    source: { base64: 'AAAA' },
    ...more,
  });
  const item = { id: 'ig_10', type: 'image_generation_call', status: 'completed', result: 'AAAA' };
  assert.deepEqual(open(image({})), item);
  assert.deepEqual(open(image({ mediaType: 'image/webp' })), { ...item, output_format: 'webp' });
  assert.deepEqual(open(image({ mediaType: 'application/x' })), item);
  assert.equal(open(image({ source: { url: 'https://a' } })), undefined);
  assert.equal(open(image({ kind: 'audio' })), undefined);
  assert.equal(open({ type: 'native', format: 'messages', value: { type: 'x' } }), undefined);
  assert.deepEqual(open({ type: 'native', format: 'responses', value: { type: 'x' } }), {
    id: 'item_10',
    type: 'x',
  });
});

test('texts are one message, unless an upstream had them in another', () => {
  const list = create();
  const of = (id: string) => ({ extra: { responses: { id } } });
  const indices = [text('a', of('msg_a')), text('b'), text('c', of('msg_a')), text('d', of('msg_b'))].map(
    (block) => {
      const { index, isNew } = list.open(block) ?? assert.fail();
      return [index, isNew];
    },
  );
  assert.deepEqual(indices, [
    [0, true],
    [0, false],
    [0, false],
    [1, true],
  ]);
});

test('an answer that was cut short has its last item incomplete, a relayed one keeps its status', () => {
  const close = (finish: Finish, ...refused: boolean[]) => {
    const list = create();
    for (const refusal of refused) {
      const { item } = list.open(text('')) ?? assert.fail();
      if (refusal) item.content = [{ type: 'refusal', refusal: 'No.' }];
    }
    list.open({ type: 'tool-call', id: 'a', name: 'f', input: { json: '' } });
    const end = list.close(finish);
    return [end.status, ...list.items.map(({ status }) => status)];
  };
  assert.deepEqual(close({ reason: 'stop' }, false), ['completed', 'completed', 'completed']);
  assert.deepEqual(close({ reason: 'length' }, false), ['incomplete', 'completed', 'incomplete']);
  assert.deepEqual(close({ reason: 'content-filter' }, false), ['incomplete', 'completed', 'incomplete']);
  assert.deepEqual(close({ reason: 'content-filter' }, true), ['completed', 'completed', 'completed']);
  const list = create();
  list.add({ type: 'message', id: 'a', status: 'in_progress' });
  list.close({ reason: 'stop' });
  assert.equal(list.items[0]?.status, 'in_progress');
});

test('a block shows something by its text, its citations or what is encrypted', () => {
  const url = { url: 'https://a', title: 'A' };
  const annotations = [{ format: 'messages', value: url } as const];
  const thought = { type: 'reasoning', text: '' } as const;
  const shown: readonly (readonly [block: Block, shows: boolean])[] = [
    [text(''), false],
    [text('a'), true],
    [text('', { annotations }), true],
    [text('', { annotations: [{ format: 'messages', value: {} }] }), false],
    [thought, false],
    [{ ...thought, text: 'Hm.' }, true],
    [{ type: 'tool-call', id: 'a', name: 'f', input: { json: '' } }, true],
  ];
  for (const [block, shows] of shown) assert.equal(showsAnything(block), shows, JSON.stringify(block));
  const cited = { type: 'url_citation', ...url };
  assert.deepEqual(encodeAnnotations(text('Hello', { annotations })), [
    { ...cited, start_index: 0, end_index: 5 },
  ]);
  const own = { ...cited, start_index: 1, end_index: 2 };
  assert.deepEqual(encodeAnnotations(text('Hello', { annotations: [{ format: 'responses', value: own }] })), [
    own,
  ]);
  assert.deepEqual(encodeAnnotations(text('No.', { annotations, refusal: true })), []);
});
