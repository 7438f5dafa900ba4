import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import type { CanonicalRequest, Dialect, Target } from '#canonical';
import { BETA_FIELDS, BETA_TOOL_FIELDS, REQUEST_FIELDS, TOOL_SEARCH_PREFIX } from './fields.ts';
import { MessageForwarder } from './forward-messages.ts';
import { without } from './without.ts';

const CACHE_MARK: ReadonlySet<string> = new Set(['cache_control']);
const DEFERRAL: ReadonlySet<string> = new Set(['defer_loading']);
const CONFIG_BETAS: ReadonlySet<string> = new Set(['task_budget']);
const THINKING_BETAS: ReadonlySet<string> = new Set(['block_binding']);

/** The caller's own body for a Messages upstream: its subtrees as they came, copied only where something must change. */
export function forwardRequest({ origin }: CanonicalRequest, { externalId, dialect }: Target): JsonObject {
  const body: JsonObject = {};
  for (const [name, value] of Object.entries(origin.body)) {
    if (REQUEST_FIELDS.has(name) && !(dialect.betas === 'none' && BETA_FIELDS.has(name))) body[name] = value;
  }
  body['model'] = externalId;
  const forwarder = new MessageForwarder(dialect);
  if (Array.isArray(body['system'])) forwardSystem(body, body['system'], forwarder);
  if (Array.isArray(body['messages'])) forwardMessages(body, forwarder);
  if (Array.isArray(body['tools'])) forwardTools(body, body['tools'], dialect);
  if (dialect.cacheMarks !== 'cache_control') delete body['cache_control'];
  if (dialect.betas === 'none') stripNestedBetas(body);
  return body;
}

function forwardSystem(body: JsonObject, system: JsonValue[], forwarder: MessageForwarder): void {
  const forwarded = forwarder.forwardSystem(system);
  if (forwarded.length === 0 && system.length > 0) delete body['system'];
  else body['system'] = forwarded;
}

function forwardMessages(body: JsonObject, forwarder: MessageForwarder): void {
  const messages = body['messages'] as JsonValue[];
  const forwarded = forwarder.forwardMessages(messages);
  if (forwarded.length > 0) body['messages'] = forwarded;
  // Anthropic refuses a manual thinking budget when the tool turn it continues has lost its thinking.
  const thinking = body['thinking'];
  if (forwarder.hasLostThinking && isJsonObject(thinking) && thinking['type'] === 'enabled') {
    if (continuesBareToolTurn(forwarded)) delete body['thinking'];
  }
}

/** Whether the last assistant turn calls a tool and does not begin with thinking. */
export function continuesBareToolTurn(messages: readonly JsonValue[]): boolean {
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const message = messages[at];
    if (!isJsonObject(message) || message['role'] !== 'assistant') continue;
    const content = Array.isArray(message['content']) ? message['content'].filter(isJsonObject) : [];
    const begins = content[0]?.['type'];
    const callsTool = content.some((block) => block['type'] === 'tool_use');
    return callsTool && begins !== 'thinking' && begins !== 'redacted_thinking';
  }
  return false;
}

function forwardTools(body: JsonObject, tools: readonly JsonValue[], dialect: Dialect): void {
  const forwarded: JsonValue[] = [];
  for (const tool of tools) {
    const kept = isJsonObject(tool) ? forwardTool(tool, dialect) : tool;
    if (kept !== undefined) forwarded.push(kept);
  }
  if (forwarded.length > 0 || tools.length === 0) {
    body['tools'] = forwarded;
    return;
  }
  delete body['tools'];
  delete body['tool_choice'];
}

/** Without tool search every tool is sent eagerly, and the search itself is not. */
function forwardTool(tool: JsonObject, dialect: Dialect): JsonObject | undefined {
  const type = typeof tool['type'] === 'string' ? tool['type'] : '';
  if (!dialect.toolSearch && type.startsWith(TOOL_SEARCH_PREFIX)) return undefined;
  if (dialect.betas === 'none' && type === 'mcp_toolset') return undefined;
  const said = dialect.cacheMarks === 'cache_control' ? tool : without(tool, CACHE_MARK);
  if (dialect.betas === 'none') return without(said, BETA_TOOL_FIELDS);
  return dialect.toolSearch ? said : without(said, DEFERRAL);
}

function stripNestedBetas(body: JsonObject): void {
  const { output_config: config, thinking } = body;
  if (isJsonObject(config)) {
    body['output_config'] = without(config, CONFIG_BETAS);
    if (Object.keys(body['output_config']).length === 0) delete body['output_config'];
  }
  if (isJsonObject(thinking)) body['thinking'] = without(thinking, THINKING_BETAS);
}
