import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proveRefusals } from '../../../../../test/support/generation-refusals.ts';
import { shareGateway } from '../../../../../test/support/share-gateway.ts';
import { type Promised, assertRefused } from '../../../../../test/support/refusal.ts';
import { IMAGE } from '../../../../../test/support/upstream-media.ts';

const PATH = '/v1/images/edits';

const gateway = shareGateway({ limits: { bodyMs: 2_000 } });

const ASK = {
  model: 'chat-model',
  prompt: 'with a hat',
  images: [{ image_url: 'https://example.com/sloth.png' }],
};

function createForm(fields: Record<string, string>, files: [name: string, content: string][]): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const [name, content] of files)
    form.append(name, new File([content], 'sloth "1".png', { type: 'image/png' }));
  return form;
}

const send = (form: FormData) => gateway.request(PATH, { method: 'POST', body: form });

test('200: a form with files is sent on with their names and types', async () => {
  const response = await send(
    createForm({ model: 'chat-model', prompt: 'with a hat', n: '2', size: 'auto' }, [
      ['image[]', 'first image'],
      ['image[]', 'second image'],
      ['mask', 'the mask'],
    ]),
  );
  assert.equal(response.status, 200, await response.clone().text());
  assert.equal(((await response.json()) as { data: object[] }).data.length, 2);
  const [truth] = gateway.upstream.truths;
  assert.match(truth?.headers['content-type'] ?? '', /^multipart\/form-data; boundary=/);
  assert.equal(truth?.headers['authorization'], 'Bearer mock-key');
  const sent = truth.rawBody;
  for (const [name, value] of [
    ['model', 'chat-model'],
    ['n', '2'],
    ['size', 'auto'],
  ] as const)
    assert.ok(sent.includes(`Content-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`), name);
  for (const [name, content] of [
    ['image[]', 'first image'],
    ['image[]', 'second image'],
    ['mask', 'the mask'],
  ] as const) {
    const part = `name="${name}"; filename="sloth %221%22.png"\r\nContent-Type: image/png\r\n\r\n${content}\r\n`;
    assert.ok(sent.includes(part), content);
  }
  const row = await gateway.getRow(response);
  assert.equal(BigInt(row.customer), 30n * 3_000_000n + 200n * 15_000_000n);
});

test('200: a file of type image/jpg is sent as image/jpeg', async () => {
  const form = createForm({ model: 'chat-model', prompt: 'with a hat' }, []);
  form.append('image', new File(['an image'], 'sloth.jpg', { type: 'image/jpg' }));
  const response = await send(form);
  assert.equal(response.status, 200, await response.clone().text());
  const sent = gateway.upstream.truths.at(-1)?.rawBody ?? '';
  assert.match(sent, /filename="sloth.jpg"\r\nContent-Type: image\/jpeg\r\n/);
});

test('200: a JSON body with references, and a stream', async () => {
  const response = await gateway.post(PATH, { ...ASK, stream: true });
  assert.equal(response.status, 200);
  assert.match(await response.text(), new RegExp(`event: image_edit.completed\\ndata: .*${IMAGE}`));
});

test('400: malformed or incomplete forms', async () => {
  const type = 'multipart/form-data; boundary=x';
  const part = (name: string, value: string): string =>
    `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const cases: [string, string, RegExp][] = [
    ['multipart/form-data', part('model', 'a'), /boundary/],
    [type, '', /not valid/],
    [type, part('model', 'a'), /not valid/],
    [type, '--x\r\nno header\r\n--x--\r\n', /not valid/],
    [type, '--x\r\nno: name\r\n\r\n--x--\r\n', /not valid|without a name/],
    [type, `${part('f', 'v').repeat(101)}--x--\r\n`, /more than 100 parts/],
    [type, `${part('n'.repeat(201), 'v')}--x--\r\n`, /longer than 200/],
    [type, `${part('model', 'chat-model')}--x--\r\n`, /prompt: is required/],
    [type, `${part('model', 'chat-model')}${part('prompt', 'hat')}--x--\r\n`, /image: is required/],
    [type, `${part('model', 'chat-model')}${part('prompt', 'hat')}${part('n', 'many')}--x--\r\n`, /^n: /],
  ];
  for (const [contentType, body, message] of cases) {
    const response = await gateway.post(PATH, Buffer.from(body), { 'content-type': contentType });
    const expected: Promised = { format: 'chat', status: 400, code: 'invalid_request' };
    assert.match(await assertRefused(gateway, response, expected), message);
  }
  const base = { model: 'chat-model', prompt: 'hat' };
  const misplaced: [Record<string, string>, [string, string][], RegExp][] = [
    [base, [['image', '']], /^image: is empty/],
    [{ ...base, image: 'data:image/png;base64,AAAA' }, [], /^image: must be a file of the form/],
    [
      { ...base, 'images[0][image_url]': 'https://a.example' },
      [['image', 'a']],
      /must be a file of the form/,
    ],
    [{ ...base, 'mask[file_id]': 'file-a' }, [['image', 'a']], /must be a file of the form/],
    [base, ['a', 'b'].map((mask) => ['mask', mask]), /^mask: must be one file/],
    [base, [['other', 'a']], /^other: is not a known file/],
  ];
  for (const [fields, files, message] of misplaced) {
    const response = await send(createForm(fields, files));
    const expected: Promised = { format: 'chat', status: 400, code: 'invalid_request' };
    assert.match(await assertRefused(gateway, response, expected), message);
  }
  const blank = await gateway.post(PATH, { ...ASK, images: [...ASK.images, {}] });
  const expected: Promised = { format: 'chat', status: 400, code: 'invalid_request' };
  assert.match(await assertRefused(gateway, blank, expected), /^images\[1\]: must have an image_url/);
  const imagen = await send(createForm({ model: 'imagen-model', prompt: 'hat' }, [['image', 'a']]));
  await assertRefused(gateway, imagen, { format: 'chat', status: 400, code: 'unsupported_feature' });
  assert.equal(gateway.upstream.truths.length, 0);
});

test('400: a file that no edit uses', async () => {
  const files: [string, string][] = [
    ['image', 'an image'],
    ['markup', 'lines'],
  ];
  const response = await send(createForm({ model: 'chat-model', prompt: 'with a hat' }, files));
  const expected: Promised = { format: 'chat', status: 400, code: 'invalid_request' };
  assert.match(
    await assertRefused(gateway, response, expected),
    /^markup: .*the files of an edit are image and mask/,
  );
  assert.equal(gateway.upstream.truths.length, 0);
});

proveRefusals({
  gateway: () => gateway,
  format: 'chat',
  pathOf: () => PATH,
  bodyOf: (model, stream) => ({ ...ASK, model, stream }),
  takesForms: true,
});
