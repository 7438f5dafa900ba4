import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const COUNT = 1_000;
/** What short parts add up to. */
export const SHORT_PARTS = Buffer.alloc(COUNT, 'abcdefghij');

/** Gives parts of a byte to what keeps them, and proves that it keeps the bytes and not each part. */
export async function proveCopied(give: (part: Buffer) => unknown): Promise<void> {
  const parts = Array.from(SHORT_PARTS, (byte) => {
    const part = Buffer.from([byte]);
    give(part);
    return new WeakRef(part);
  });
  // A WeakRef keeps its target until the end of the turn, and a stream may pass on one part in each.
  for (let turn = 0; turn <= 3 * COUNT; turn += 1) await new Promise(setImmediate);
  collectGarbage();
  const kept = parts.filter((part) => part.deref() !== undefined).length;
  assert.ok(kept <= COUNT / 100, `${kept} of ${COUNT} parts are kept by themselves`);
}
