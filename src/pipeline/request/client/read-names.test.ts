import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HttpHeaders, JsonObject } from '#base';
import type { LogNames } from '#logs';
import { LIMITS } from './client-rules.ts';
import { readNames } from './read-names.ts';

/** What the clients sent when they were run against a recording server; only what may carry a name. */
const RECORDED: Record<string, { headers: HttpHeaders; body?: JsonObject; names: LogNames }> = {
  'Claude Code 2.1.329, main agent': {
    headers: {
      'user-agent': 'claude-cli/2.1.329 (external, sdk-cli)',
      'x-claude-code-session-id': '0a9d280a-e02d-45c4-a844-48140ce6dbd2',
      'x-app': 'cli',
    },
    body: {
      metadata: {
        user_id:
          '{"device_id":"36fc63444c0d7d28530c54f2673c0653edb8a949a53a74ffd52b627e1ed189f8","account_uuid":"","session_id":"0a9d280a-e02d-45c4-a844-48140ce6dbd2"}',
      },
    },
    names: {
      clientName: 'claude-code',
      clientVersion: '2.1.329',
      sessionId: '0a9d280a-e02d-45c4-a844-48140ce6dbd2',
      endUserId: '36fc63444c0d7d28530c54f2673c0653edb8a949a53a74ffd52b627e1ed189f8',
    },
  },
  'Claude Code 2.1.329, agent of an agent': {
    headers: {
      'user-agent': 'claude-cli/2.1.329 (external, sdk-cli)',
      'x-claude-code-session-id': '0a9d280a-e02d-45c4-a844-48140ce6dbd2',
      'x-claude-code-agent-id': 'a2eb7553ccd68e017',
      'x-claude-code-parent-agent-id': 'a28f8efa4ee4eee7c',
    },
    names: {
      clientName: 'claude-code',
      clientVersion: '2.1.329',
      sessionId: '0a9d280a-e02d-45c4-a844-48140ce6dbd2',
      agentId: 'a2eb7553ccd68e017',
      parentAgentId: 'a28f8efa4ee4eee7c',
    },
  },
  'Codex 0.169.0': {
    headers: {
      'user-agent': 'codex_exec/0.169.0 (Debian 12.0.0; x86_64) xterm (codex_exec; 0.169.0)',
      originator: 'codex_exec',
      'session-id': '01a20a73-f3c6-7e40-9df7-f758c842fd12',
      'thread-id': '01a20a73-f3c6-7e40-9df7-f758c842fd12',
      'x-codex-window-id': '01a20a73-f3c6-7e40-9df7-f758c842fd12:0',
    },
    body: {
      client_metadata: {
        session_id: '01a20a73-f3c6-7e40-9df7-f758c842fd12',
        turn_id: '01a20a73-f3e0-70b1-8c41-6e2bd6f8fa6b',
        root_turn_id: '01a20a73-f3e0-70b1-8c41-6e2bd6f8fa6b',
        thread_id: '01a20a73-f3c6-7e40-9df7-f758c842fd12',
      },
    },
    names: {
      clientName: 'codex',
      clientVersion: '0.169.0',
      sessionId: '01a20a73-f3c6-7e40-9df7-f758c842fd12',
      turnId: '01a20a73-f3e0-70b1-8c41-6e2bd6f8fa6b',
      runId: '01a20a73-f3e0-70b1-8c41-6e2bd6f8fa6b',
    },
  },
  'opencode 1.18.33': {
    headers: {
      'user-agent': 'opencode/1.18.33 ai-sdk/provider-utils/4.0.23 runtime/bun/1.3.14',
      'x-session-affinity': 'ses_df58bcd2effeKKvpm9ldbBTs1V',
      'x-session-id': 'ses_df58bcd2effeKKvpm9ldbBTs1V',
    },
    names: { clientName: 'opencode', clientVersion: '1.18.33', sessionId: 'ses_df58bcd2effeKKvpm9ldbBTs1V' },
  },
  'Gemini CLI 0.61.0': {
    headers: {
      'user-agent': 'GeminiCLI-tui/0.61.0/gemini-2.5-flash (linux; x64; terminal)',
      'x-goog-api-client': 'google-genai-sdk/1.30.0 gl-node/v26.10.0',
    },
    names: { clientName: 'gemini-cli', clientVersion: '0.61.0' },
  },
  'Qwen Code 0.15.10': {
    headers: { 'user-agent': 'QwenCode/0.15.10 (linux; x64)', 'x-stainless-lang': 'js' },
    names: { clientName: 'qwen-code', clientVersion: '0.15.10' },
  },
};

for (const [name, { headers, body, names }] of Object.entries(RECORDED))
  test(`the names in a recorded request are recognized: ${name}`, () => {
    assert.deepEqual(readNames(headers, body), names);
  });

/** As their sources send it; these clients cannot be run here. */
const DESCRIBED: Record<string, { headers: HttpHeaders; names: LogNames }> = {
  'agent of a Codex session': {
    headers: {
      'user-agent': 'codex_cli_rs/0.169.0 (Mac OS 26.1.0; arm64)',
      'session-id': 's1',
      'thread-id': 't2',
      'x-codex-parent-thread-id': 's1',
    },
    names: { clientName: 'codex', clientVersion: '0.169.0', sessionId: 's1', agentId: 't2' },
  },
  'agent of an agent of Codex': {
    headers: { 'session-id': 's1', 'thread-id': 't3', 'x-codex-parent-thread-id': 't2' },
    names: { sessionId: 's1', agentId: 't3', parentAgentId: 't2' },
  },
  'sub-agent of opencode': {
    headers: { 'x-session-id': 'ses_child', 'x-parent-session-id': 'ses_root' },
    names: { sessionId: 'ses_root', agentId: 'ses_child' },
  },
  Cline: {
    headers: { 'user-agent': 'Cline/3.40.0', 'x-task-id': '1763' },
    names: { clientName: 'cline', clientVersion: '3.40.0', sessionId: '1763' },
  },
  'Roo Code': {
    headers: { 'user-agent': 'RooCode/3.52.1' },
    names: { clientName: 'roo-code', clientVersion: '3.52.1' },
  },
  'OpenAI Agents SDK': {
    headers: { 'user-agent': 'Agents/Python 0.4.2' },
    names: { clientName: 'openai-agents', clientVersion: '0.4.2' },
  },
  'OpenAI Agents SDK for JavaScript': {
    headers: { 'user-agent': 'Agents/JavaScript 0.3.1' },
    names: { clientName: 'openai-agents', clientVersion: '0.3.1' },
  },
  'AI SDK': {
    headers: { 'user-agent': 'ai/5.0.60 ai-sdk/provider-utils/3.0.9 runtime/node.js/v22.11.0' },
    names: { clientName: 'ai-sdk', clientVersion: '5.0.60' },
  },
  'a model of the AI SDK by itself': {
    headers: { 'user-agent': 'ai-sdk/openai/2.0.42 ai-sdk/provider-utils/3.0.9 runtime/node.js/v22.11.0' },
    names: { clientName: 'ai-sdk-openai', clientVersion: '2.0.42' },
  },
  'OpenAI SDK': {
    headers: { 'user-agent': 'OpenAI/JS 5.11.0' },
    names: { clientName: 'openai-js', clientVersion: '5.11.0' },
  },
  curl: { headers: { 'user-agent': 'curl/8.14.1' }, names: { clientName: 'curl', clientVersion: '8.14.1' } },
};

for (const [name, { headers, names }] of Object.entries(DESCRIBED))
  test(`the names in a request are recognized: ${name}`, () => {
    assert.deepEqual(readNames(headers), names);
  });

test('the title of an application names the client, with the version of its user agent alone', () => {
  const clientOf = (headers: Record<string, string>): object => {
    const { clientName, clientVersion } = readNames(headers);
    return { clientName, clientVersion };
  };
  const title = { 'x-title': 'Open WebUI' };
  const titled = { clientName: 'open-webui', clientVersion: undefined };
  assert.deepEqual(clientOf(title), titled);
  assert.deepEqual(clientOf({ ...title, 'user-agent': 'OpenAI/Python 2.1.0' }), titled);
  assert.deepEqual(clientOf({ 'x-openrouter-title': 'Roo Code', 'user-agent': 'RooCode/3.52.1' }), {
    clientName: 'roo-code',
    clientVersion: '3.52.1',
  });
  assert.deepEqual(clientOf({ ...title, 'x-gateway-client': 'my-agent/2.0' }), {
    clientName: 'my-agent',
    clientVersion: '2.0',
  });
  assert.equal(readNames({ 'x-title': 'é'.repeat(99) }).clientName?.length, LIMITS.client);
});

test('any client can name itself by headers, which count before those of known clients', () => {
  const headers = {
    'user-agent': 'python-httpx/0.28.1',
    'x-gateway-client': 'my-agent/2.0',
    'x-gateway-session': 's',
    'x-claude-code-session-id': 'other',
    'x-gateway-agent': 'a',
    'x-gateway-parent-agent': 'p',
    'x-gateway-run': 'r',
    'x-gateway-turn': 't',
    'x-gateway-user': 'ann',
    'x-gateway-tags': 'team=search, nightly ,env=a=b',
  };
  assert.deepEqual(
    readNames(headers, { user: 'bob', metadata: { team: 'other', job: '7', n: 4, user_id: 'x' } }),
    {
      clientName: 'my-agent',
      clientVersion: '2.0',
      sessionId: 's',
      agentId: 'a',
      parentAgentId: 'p',
      runId: 'r',
      turnId: 't',
      endUserId: 'ann',
      tags: { team: 'search', nightly: '', env: 'a=b', job: '7' },
    },
  );
});

test('the end user is in the body: of OpenAI, of Anthropic, of earlier versions of Claude Code', () => {
  const userOf = (body: JsonObject): LogNames => readNames({}, body);
  assert.deepEqual(userOf({ safety_identifier: 'hash', user: 'bob' }), { endUserId: 'hash' });
  assert.deepEqual(userOf({ user: 'bob' }), { endUserId: 'bob' });
  assert.deepEqual(userOf({ metadata: { user_id: 'u-1' } }), { endUserId: 'u-1' });
  assert.deepEqual(userOf({ metadata: { user_id: 'user_ab12_account_c-3_session_d-4' } }), {
    endUserId: 'c-3',
    sessionId: 'd-4',
  });
  assert.deepEqual(userOf({ metadata: { user_id: 'user_ab12_account__session_d-4' } }), {
    endUserId: 'ab12',
    sessionId: 'd-4',
  });
  assert.deepEqual(userOf({ metadata: { user_id: '{"device_id": 4' } }), { endUserId: '{"device_id": 4' });
  assert.deepEqual(userOf({ metadata: { user_id: '{}' } }), {});
  assert.deepEqual(userOf({ metadata: 'x', user: 4, client_metadata: [] }), {});
});

test('names are bounded, and nothing in them controls a terminal', () => {
  const long = 'x'.repeat(5_000_000);
  const names = readNames(
    {
      'x-gateway-session': long,
      'x-gateway-agent': '\u001b[31mred\u0007\u009b',
      'x-gateway-turn': Buffer.from('Zürich 🦥 \u202e').toString('latin1'),
      'x-gateway-run': 'Z\u00fcrich',
      'x-gateway-parent-agent': ' \u0000 ',
      'user-agent': `${'n'.repeat(500)}/${'9'.repeat(500)}`,
    },
    { user: long, metadata: { ['k'.repeat(90)]: long, '': 'x', __proto__: 'x', half: '\ud83e' } },
  );
  assert.deepEqual(names, {
    sessionId: 'x'.repeat(LIMITS.session),
    agentId: '[31mred',
    turnId: 'Zürich 🦥',
    runId: 'Zürich',
    endUserId: 'x'.repeat(LIMITS.name),
    clientName: 'n'.repeat(LIMITS.client),
    clientVersion: '9'.repeat(LIMITS.client),
    tags: { ['k'.repeat(LIMITS.tagKey)]: 'x'.repeat(LIMITS.tagValue), half: '\uFFFD' },
  });
});

test('of many tags as many are kept as fit', () => {
  const countOf = (tags: JsonObject): number =>
    Object.keys(readNames({}, { metadata: tags }).tags ?? {}).length;
  const list = (value: string): JsonObject =>
    Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`k${n}`, value]));
  assert.equal(countOf(list('v')), LIMITS.tags);
  assert.equal(countOf(list('v'.repeat(LIMITS.tagValue))), 3);
});
