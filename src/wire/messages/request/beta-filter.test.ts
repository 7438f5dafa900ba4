import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { type Dialect, MESSAGES_DIALECT } from '#canonical';
import { getInboundFormat, getOutboundFormat } from '#wire';

const CLOUD: Partial<Dialect> = {
  betas: 'listed',
  allowedBetas: [
    'context-management-2025-06-27',
    'tool-search-tool-2025-10-19',
    'interleaved-thinking-2025-05-14',
  ],
};

function open(body: JsonObject, betas: string, dialect: Partial<Dialect> = CLOUD) {
  const headers = betas === '' ? {} : { 'anthropic-beta': betas };
  const full = { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }], ...body };
  const request = getInboundFormat('messages').decodeRequest(full, headers);
  return getOutboundFormat('messages').openExchange(request, {
    providerId: 'p',
    externalId: 'x',
    dialect: { ...MESSAGES_DIALECT, ...dialect },
    reasoning: true,
  });
}

test('[D-79] a cloud is sent the beta values it accepts, and no other', () => {
  const { headers } = open({}, 'claude-code-20250219,interleaved-thinking-2025-05-14,oauth-2025-04-20');
  assert.equal(headers['anthropic-beta'], 'interleaved-thinking-2025-05-14');
  assert.equal('anthropic-beta' in open({}, 'claude-code-20250219').headers, false);
});

test('[D-53] a member is sent only with its beta value', () => {
  const body = {
    context_management: { edits: [] },
    mcp_servers: [],
    speed: 'fast',
    container: 'c',
    service_tier: 'auto',
    cache_control: { type: 'ephemeral' },
    output_config: { effort: 'low', task_budget: { type: 'tokens', total: 9 } },
  };
  const sent = open(body, 'context-management-2025-06-27,mcp-client-2025-11-20,fast-mode-2026-02-01').body;
  assert.deepEqual(Object.keys(sent).sort(), [
    'context_management',
    'max_tokens',
    'messages',
    'model',
    'output_config',
  ]);
  assert.deepEqual(sent['output_config'], { effort: 'low' });
  assert.equal('context_management' in open(body, '').body, false);
  const budgeted = { output_config: { task_budget: { type: 'tokens', total: 9 } } };
  assert.equal('output_config' in open(budgeted, '').body, false, 'nothing of it is left');
  assert.equal('mcp_servers' in open(body, '', {}).body, true, 'Anthropic itself gets what the caller sent');
});

const TOOL = {
  name: 't',
  input_schema: { type: 'object' },
  defer_loading: true,
  input_examples: [{}],
  strict: true,
};

const SEARCH = { type: 'tool_search_tool_regex_20251119', name: 's' };

test('[D-80] [D-81] tool search has another name at a cloud, and its fields go with it', () => {
  for (const betas of ['advanced-tool-use-2025-11-20', 'tool-search-tool-2025-10-19', '']) {
    const { headers, body } = open({ tools: [TOOL, SEARCH] }, betas);
    assert.equal(headers['anthropic-beta'], 'tool-search-tool-2025-10-19', betas);
    assert.deepEqual(
      body['tools'],
      [{ name: 't', input_schema: { type: 'object' }, defer_loading: true, strict: true }, SEARCH],
      betas,
    );
  }
});

test('a deferred tool alone asks a cloud for tool search, a plain one does not', () => {
  const plain = { name: 'p', input_schema: {} };
  const searched = open({ tools: [TOOL, plain] }, '').headers;
  assert.equal(searched['anthropic-beta'], 'tool-search-tool-2025-10-19');
  assert.equal('anthropic-beta' in open({ tools: [plain] }, '').headers, false);
});

test('[D-80] where tool search is not accepted, neither its name nor its fields are sent', () => {
  const dialect: Partial<Dialect> = {
    betas: 'listed',
    allowedBetas: [],
    toolSearch: false,
    strictTools: false,
  };
  const { headers, body } = open({ tools: [TOOL, SEARCH] }, 'advanced-tool-use-2025-11-20', dialect);
  assert.equal('anthropic-beta' in headers, false);
  assert.deepEqual(body['tools'], [{ name: 't', input_schema: { type: 'object' } }]);
});

test('[D-49] the attribution of Claude Code is sent only to Anthropic’s own service', () => {
  const system = [
    { type: 'text', text: 'x-anthropic-billing-header: cc_version=2' },
    { type: 'text', text: 'Be brief.' },
  ];
  assert.deepEqual(open({ system }, '').body['system'], system.slice(1));
});
