import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditLogResource } from './resource.ts';

test('a change names fields as commands and the API do', () => {
  const cell = auditLogResource.commands.columns['change'];
  assert.ok(typeof cell === 'function');
  const entry = { before: { recurring_lim: null, lim: '5' }, after: { recurring_lim: '7', lim: '6' } };
  assert.equal(cell(entry as never), 'recurring_limit: null → "7", limit: "5" → "6"');
});
