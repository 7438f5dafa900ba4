import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureProcessorMs } from '../../test/support/processor-time.ts';
import { decodeForm } from './video-order.ts';

const bytes = Buffer.from('image');
const decode = (contentType: string): ReturnType<typeof decodeForm> =>
  decodeForm({
    body: { model: 'm', prompt: 'p' },
    files: new Map([['input_reference', [{ contentType, bytes }]]]),
  });

test('the media type of an image is what its content type begins with', () => {
  for (const contentType of ['image/png', 'IMAGE/PNG ; name=x', 'image/png;'])
    assert.deepEqual(decode(contentType).image, { mediaType: 'image/png', bytes });
});

test('a content type of blanks is refused, soon', async () => {
  const spentMs = await measureProcessorMs(() =>
    assert.throws(() => decode(`image/png${' '.repeat(50_000)}x`), { code: 'invalid_request' }),
  );
  assert.ok(spentMs < 200, `${spentMs} ms`);
});
