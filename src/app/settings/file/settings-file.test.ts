import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSettingsFile } from './settings-file.ts';

const parse = (model: string) =>
  parseSettingsFile({ name: 'sluice.yaml', text: `providers: [{ id: acme, models: [${model}] }]\n` }, {})
    .content.providers?.[0]?.models?.[0];

test('a price written as a number has exactly the digits that were written', () => {
  const price = '{ input: 3, output: 0.25, cacheRead: 0.300000, reasoning: "15", perSearch: 0.100000000001 }';
  assert.deepEqual(parse(`{ id: large, price: ${price} }`)?.price, {
    input: '3',
    output: '0.25',
    cacheRead: '0.300000',
    reasoning: '15',
    perSearch: '0.100000000001',
  });
  const tools = parse(
    '{ id: large, modifiers: { speed: { values: { fast: { factor: 1.1 } } } }, hostedTools: [{ tool: web_search, usd: 0.01 }] }',
  );
  assert.equal(tools?.modifiers?.speed?.values?.['fast']?.factor, '1.1');
  assert.equal(tools.hostedTools?.[0]?.usd, '0.01');
});

test('numbers stay numbers where numbers are wanted, also beside prices', () => {
  const model = parse('{ id: large, contextLength: 200000, price: { input: 3, output: 15 } }');
  assert.equal(model?.contextLength, 200_000);
});

test('a price shared by several models is read once for all', () => {
  const text =
    'providers: [{ id: acme, models: [{ id: a, price: &p { input: 3, output: 15 } }, { id: b, price: *p }] }]';
  const { content } = parseSettingsFile({ name: 'sluice.yaml', text }, {});
  assert.deepEqual(
    content.providers?.[0]?.models?.map(({ price }) => price?.output),
    ['15', '15'],
  );
});

test('any number of prices and whole variables is converted', () => {
  const models = Array.from(
    { length: 30 },
    (_, at) => `{ id: m${at}, contextLength: "\${N}", price: { input: ${at}, output: 1 } }`,
  );
  const text = `providers: [{ id: acme, models: [${models.join()}] }]`;
  const { content } = parseSettingsFile({ name: 'sluice.yaml', text }, { N: '9' });
  const read = content.providers?.[0]?.models?.map(({ contextLength, price }) => [
    contextLength,
    price?.input,
  ]);
  assert.deepEqual(
    read,
    models.map((_, at) => [9, String(at)]),
  );
});

for (const written of ['-3', '3e-1', '0x10', '.5', '0.1234567', '.inf', '1_000'])
  test(`${written} is no price, and is not rounded to one`, () => {
    assert.throws(
      () => parse(`{ id: large, price: { input: ${written}, output: 1 } }`),
      /^SettingsError: sluice\.yaml:1:\d+: providers\[0\]\.models\[0\]\.price\.input is malformed: USD per million tokens, as a decimal such as 0\.25\.$/,
    );
  });
