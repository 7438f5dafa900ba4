import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import type { CanonicalRequest, Dialect, Target } from '#canonical';
import { BetaFence } from './beta-fence.ts';
import { REQUEST_FIELDS, TOOL_SEARCH_PREFIX } from './fields.ts';
import { MessageForwarder } from './forward-messages.ts';
import { without } from './without.ts';

const CACHE_MARK: ReadonlySet<string> = new Set(['cache_control']);
const DEFERRAL: ReadonlySet<string> = new Set(['defer_loading']);

/**
 * Forwards the caller's body to a Messages upstream: subtrees are shared, and copied only where something must change.
 */
export function forwardRequest(request: CanonicalRequest, { externalId, dialect }: Target): JsonObject {
  const { origin } = request;
  const fence = new BetaFence(request, dialect);
  const body: JsonObject = {};
  for (const [name, value] of Object.entries(origin.body)) {
    if (REQUEST_FIELDS.has(name) && fence.keepsField(name)) body[name] = value;
  }
  body['model'] = externalId;
  const forwarder = new MessageForwarder(dialect);
  if (Array.isArray(body['system'])) forwardSystem(body, body['system'], forwarder);
  if (Array.isArray(body['messages'])) forwardMessages(body, forwarder);
  if (Array.isArray(body['tools'])) forwardTools(body, body['tools'], { dialect, fence });
  if (dialect.cacheMarks !== 'cache_control') delete body['cache_control'];
  fence.stripNested(body);
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
  // Anthropic refuses a manual thinking budget if the tool turn it continues has lost its thinking.
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

interface Fences {
  dialect: Dialect;
  fence: BetaFence;
}

function forwardTools(body: JsonObject, tools: readonly JsonValue[], fences: Fences): void {
  const forwarded: JsonValue[] = [];
  for (const tool of tools) {
    const kept = isJsonObject(tool) ? forwardTool(tool, fences) : tool;
    if (kept !== undefined) forwarded.push(kept);
  }
  if (forwarded.length > 0 || tools.length === 0) {
    body['tools'] = forwarded;
    return;
  }
  delete body['tools'];
  delete body['tool_choice'];
}

/** Without tool search every tool is sent eagerly, and the search tool is dropped. */
function forwardTool(tool: JsonObject, { dialect, fence }: Fences): JsonObject | undefined {
  const type = typeof tool['type'] === 'string' ? tool['type'] : '';
  if (!dialect.toolSearch && type.startsWith(TOOL_SEARCH_PREFIX)) return undefined;
  const said = dialect.cacheMarks === 'cache_control' ? tool : without(tool, CACHE_MARK);
  const kept = fence.strip(said);
  return kept && !dialect.toolSearch ? without(kept, DEFERRAL) : kept;
}
