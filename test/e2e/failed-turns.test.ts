import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildSessionTree } from '../../src/logs/sessions/session-tree.ts';
import { createRow } from '../support/fresh-accounts.ts';
import { formatPart } from '../../src/cli/terminal/table.ts';
import { formatSession } from '../../src/logs/reports/format-session.ts';

const CALLER = { organizationId: 'o', projectId: 'p', keyId: 'k', keyLabel: 'l' };
const REFUSED = { finishReason: 'client_error', status: 402, errorCode: 'key_limit_reached' } as const;

const format = (rows: readonly Parameters<typeof createRow>[2][]): string[] => {
  const own = rows.map((row, at) => createRow(CALLER, `r${at}`, { sessionId: 's', ...row }));
  return formatSession(buildSessionTree(own) ?? assert.fail(), true).flatMap(formatPart);
};

test('the tree of a session counts its failed requests, and a refused turn shows status and code', () => {
  const [heading, head, session, first, second] = format([{}, REFUSED]);
  assert.match(heading ?? '', /, 1 request failed$/);
  assert.match(head ?? '', /REQUESTS +FAILED .* ENDED +MODEL$/);
  assert.match(session ?? '', /session +2 +1 /);
  assert.match(first ?? '', /turn 1 +1 +0 .* 200 /);
  assert.match(second ?? '', /turn 2 +1 +1 .* 402 key_limit_reached /);
});

test('the tree of a session without failures has no columns for them', () => {
  const [heading, head] = format([{}]);
  assert.doesNotMatch(`${heading} ${head}`, /failed|ended/i);
});
