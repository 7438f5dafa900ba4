import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { GatewayError } from '#errors';
import { type FormPart, parseForm } from './parse-form.ts';

function write(
  parts: readonly { name: string; filename?: string; bytes: Uint8Array }[],
  boundary: string,
): Buffer {
  const pieces = parts.flatMap(({ name, filename, bytes }) => [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${
        filename === undefined ? '' : `; filename="${filename}"\r\nContent-Type: image/png`
      }\r\n\r\n`,
    ),
    bytes,
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
}

test('whatever bytes the parts hold, they come back as they were', () => {
  const part = fc.record(
    {
      name: fc.stringMatching(/^[a-z[\]]{1,20}$/),
      filename: fc.stringMatching(/^[\w .-]{1,20}$/),
      bytes: fc.uint8Array({ maxLength: 200 }),
    },
    { requiredKeys: ['name', 'bytes'] },
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const read = parseForm(write(parts, 'b-0123456789'), 'b-0123456789');
      assert.deepEqual(
        read.map(({ name, filename, bytes }) => ({ name, filename, bytes: [...bytes] })),
        parts.map(({ name, filename, bytes }) => ({ name, filename, bytes: [...bytes] })),
      );
    }),
  );
});

test('bytes that are no form are refused or read, and never anything else', () => {
  const piece = fc.constantFrom(
    '--b',
    '--b--',
    '\r\n',
    '\r\n\r\n',
    'Content-Disposition: form-data; name=a',
    'x',
    '"',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      try {
        parseForm(Buffer.from(pieces.join('')), 'b');
      } catch (thrown) {
        assert.ok(thrown instanceof GatewayError && thrown.code === 'invalid_request');
      }
    }),
    { numRuns: 2_000 },
  );
});

test('quotes in names, as browsers and as others write them', () => {
  const names = (written: string): FormPart['name'][] =>
    parseForm(write([{ name: written, bytes: new Uint8Array() }], 'b'), 'b').map(({ name }) => name);
  assert.deepEqual(names('a%22b'), ['a"b']);
  assert.deepEqual(names('a\\"b'), ['a"b']);
});

test('names of files in any script, as browsers and as others write them', () => {
  const read = (disposition: string): [string, string | undefined][] =>
    parseForm(Buffer.from(`--b\r\nContent-Disposition: ${disposition}\r\n\r\nx\r\n--b--\r\n`), 'b').map(
      ({ name, filename }) => [name, filename],
    );
  for (const [disposition, filename] of [
    ['form-data; name="file"; filename="猫 😀.mp3"', '猫 😀.mp3'],
    [`form-data; name="file"; filename*=utf-8''gr%C3%BC%C3%9Fe.mp3`, 'grüße.mp3'],
    [`form-data; name="file"; filename="gr.mp3"; filename*=UTF-8'de'gr%C3%BC%C3%9Fe.mp3`, 'grüße.mp3'],
    [`form-data; name="file"; filename*=utf-8''%FF.mp3`, `utf-8''%FF.mp3`],
    [`Form-Data;name=file;filename=a.mp3`, 'a.mp3'],
    ['form-data; filename="x; name=\\"model\\".mp3"; name="file"', 'x; name="model".mp3'],
    ['form-data; name="file"; filename=""', ''],
  ] as const)
    assert.deepEqual(read(disposition), [['file', filename]], disposition);
  assert.deepEqual(read('form-data; name="a; filename=b"'), [['a; filename=b', undefined]]);
});

test('a hundred parts and no more', () => {
  const parts = (count: number) =>
    Array.from({ length: count }, () => ({ name: 'n', bytes: new Uint8Array() }));
  assert.equal(parseForm(write(parts(100), 'b'), 'b').length, 100);
  assert.throws(() => parseForm(write(parts(101), 'b'), 'b'), /more than 100 parts/);
});
