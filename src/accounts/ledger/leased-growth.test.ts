import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { JsonObject } from '#base';
import { setImmediate as turn } from 'node:timers/promises';
import { LeasedScene } from '../../../test/support/leased-scene.ts';
import { until } from '../../../test/support/until.ts';

let scene: LeasedScene;
beforeEach(async () => {
  scene = await LeasedScene.open();
});
afterEach(() => scene.close());

const idsOfOpening = (): string[] =>
  scene.begun.flatMap(({ opening }) => opening.map(({ request }) => request.requestId));

test('an open request grows on its lease, and beyond it on a hold of its own', async () => {
  const hold = await scene.admit(5n);
  assert.equal(await scene.leased.grow(hold.requestId, 10n), 15n);
  assert.equal(await scene.leased.grow('req_another', 10n), undefined);
  assert.equal(await scene.leased.grow(hold.requestId, 10n ** 15n), undefined);
  assert.deepEqual(idsOfOpening(), [hold.requestId]);
  assert.equal(scene.begun[0]?.opening[0]?.amount, 15n);
  assert.equal(scene.leased.isHoldStored(hold.requestId), true);
  assert.equal(await scene.leased.grow(hold.requestId, 1n), undefined, 'the hold grows from now on');
  await scene.leased.createHold(hold.requestId);
  await scene.leased.flush(true);
  assert.deepEqual(idsOfOpening(), [hold.requestId], 'which it gets once');

  const other = await scene.admit();
  scene.isTrusted = false;
  assert.equal(await scene.leased.grow(other.requestId, 1n), undefined);
  assert.equal(scene.leased.isHoldStored(other.requestId), true);
  scene.isTrusted = true;
  await Promise.all([scene.settle(hold), scene.settle(other)]);
});

test('a request that is settled takes nothing more from its lease, and is not given a hold', async () => {
  for (const more of [10n, 10n ** 15n]) {
    const hold = await scene.admit(5n);
    await scene.settle(hold);
    assert.equal(await scene.leased.grow(hold.requestId, more), undefined, `${more} more`);
    await scene.leased.createHold(hold.requestId);
    await scene.leased.flush(true);
    assert.equal(scene.begun.at(-1)?.leases[0]?.lease.taken, 0n, `${more} more`);
  }
  assert.deepEqual(idsOfOpening(), []);
});

test('a request that cost more than its hold is settled by itself, once that exists', async () => {
  const hold = await scene.admit(5n);
  await scene.leased.createHold(hold.requestId);
  const { request } = scene.begun[0]?.opening[0] ?? assert.fail();
  const { requestId } = hold;
  const settlement = {
    requestId,
    customer: 5n,
    provider: 9n,
    beyondHold: 4n,
    estimated: false,
    row: request.row,
  };
  await Promise.all([scene.leased.settle(settlement), scene.settle(await scene.admit())]);
  await scene.leased.flush(true);
  const reported = scene.begun.flatMap(({ settled }) => settled.map((one) => one.request.requestId));
  assert.deepEqual([reported.length, reported.includes(requestId)], [1, false]);
  assert.deepEqual(
    scene.settledAlone.map((one) => [(one as JsonObject)['id'], (one as JsonObject)['d']]),
    [[requestId, '4']],
  );
  assert.equal(scene.written.includes(requestId), true);
});

test('a request grows once the hold that a report is about to create for it exists', async () => {
  const hold = await scene.admit();
  scene.clock.advance(100);
  scene.isGated = true;
  const reporting = scene.leased.flush(true);
  await until('its hold is under way', async () => idsOfOpening().length === 1);
  let hasGrown = false;
  const growing = scene.leased.grow(hold.requestId, 1n).then(() => (hasGrown = true));
  await turn();
  assert.equal(hasGrown, false);
  scene.isGated = false;
  scene.openGates();
  await Promise.all([reporting, growing]);
  assert.equal(scene.leased.isHoldStored(hold.requestId), true);
  await scene.settle(hold);
});
