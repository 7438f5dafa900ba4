import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRow } from '../../../test/support/fresh-accounts.ts';
import type { LogRow } from '../rows/log-row.ts';
import { type SessionAgent, buildSessionTree } from './session-tree.ts';
import { sessionType } from '../session-type.ts';

const COUNT = 20_000;
const CALLER = { organizationId: 'o', projectId: 'p', keyId: 'k', keyLabel: 'l' };

const depthOf = ({ agents }: SessionAgent): number => 1 + Math.max(0, ...agents.map(depthOf));

test('agents that a client nests thousands deep are a tree that can be printed, in either order of their rows', () => {
  const rows = Array.from({ length: COUNT }, (_, at): LogRow => {
    const parent = at === 0 ? {} : { parentAgentId: `a${at - 1}` };
    return createRow(CALLER, `r${at}`, { sessionId: 's', agentId: `a${at}`, ...parent });
  });
  for (const ordered of [rows, rows.toReversed()]) {
    const tree = buildSessionTree(ordered) ?? assert.fail();
    assert.equal(tree.main.total.requests, COUNT);
    assert.ok(depthOf(tree.main) < 100, String(depthOf(tree.main)));
    assert.ok(JSON.stringify(sessionType.encode(tree, true)));
  }
});
