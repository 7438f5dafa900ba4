import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEcho } from './request-echo.ts';

test('an answer repeats MCP tools without what opens their servers, and all other tools as they are', () => {
  const plain = { type: 'function', name: 'f', parameters: { properties: { headers: {} } } };
  const mcp = { type: 'mcp', server_label: 'x', server_url: 'https://x' };
  const tools = [plain, { ...mcp, authorization: 'secret', headers: { 'X-Any': 'secret' } }];
  const origin = { format: 'responses', body: { model: 'm', input: 'x', tools } } as const;
  const { members } = createEcho({ origin, tools: [] });
  assert.deepEqual(members['tools'], [plain, mcp]);
  assert.equal((tools[1] as { authorization?: string }).authorization, 'secret', 'the request keeps it');
});
