import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ENDPOINTS } from '#http';
import { listHostileRequests } from '../support/hostile-bodies.ts';
import { runHostile } from '../support/hostile-run.ts';

const MIB = 1024 * 1024;

test('hostile bodies to every endpoint, four at once: none causes a fault, each has its row, memory is bounded', async () => {
  const { answers, busy, loop, rows } = await runHostile({
    bytes: 3 * MIB,
    every: 41,
    report: () => undefined,
  });
  assert.ok(answers.length > 15, String(answers.length));
  const faults = answers.filter(({ status }) => status === 0 || (status >= 500 && status !== 503));
  assert.deepEqual(faults, []);
  assert.deepEqual(rows.missing, []);
  assert.ok(loop.rssMiB < 1_024, String(loop.rssMiB));
  assert.ok(busy.livez.count > 0);
  assert.deepEqual(busy.livez.refused, []);
});

test('each endpoint that reads a body is among those that get hostile ones', () => {
  const listed = new Set(listHostileRequests(MIB).map(({ path }) => path));
  const left = ENDPOINTS.filter(({ method, body }) => method === 'POST' && body !== undefined)
    .map(({ template }) => template.replace(/\{id\}|\{model\}|\*/, 'none'))
    .filter((path) => !listed.has(path) && !path.startsWith('/v1beta/models/'));
  assert.deepEqual(left, []);
});
