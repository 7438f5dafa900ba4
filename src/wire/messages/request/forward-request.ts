import type { JsonObject } from '#base';
import type { Dialect } from '#canonical';
import type { EncodeContext } from '../../request/encode-context.ts';
import { forwardList } from '../../request/forwarding.ts';
import { isArray, isObject, itemsOf } from '../../body/read-field.ts';
import type { Members, Unchecked } from '../../body/unchecked.ts';
import { without } from '../../body/without.ts';
import { BetaFilter, isToolSearch } from './beta-filter.ts';
import { MessageForwarder } from './forward-messages.ts';
import {
  type MessagesBody,
  type MessagesMessage,
  type MessagesTool,
  messagesRequestSchema,
} from '../schema.ts';
import { applyToolChanges } from './tool-changes.ts';

type Body = Members<MessagesBody>;
type RawTool = Members<MessagesTool>;

const FIELDS: ReadonlySet<string> = new Set(Object.keys(messagesRequestSchema.properties));
const CACHE_MARK = new Set<keyof RawTool>(['cache_control']);
const DEFERRAL = new Set<keyof RawTool>(['defer_loading']);

/** Forwards the members of a Messages caller's body that the schema names. */
export function forwardRequest({ request, target, dialect }: EncodeContext): Body {
  const betas = new BetaFilter(request, dialect);
  const body = pickFields(request.origin.body, betas);
  body.model = target.externalId;
  if (request.maxOutputTokens !== undefined) body.max_tokens = request.maxOutputTokens;
  if (request.answerStart !== undefined) startAnswer(body, request.answerStart);
  const forwarder = new MessageForwarder(dialect, betas.keepsToolChanges);
  if (isArray(body.system)) {
    const forwarded = forwarder.forwardSystem(body.system);
    if (forwarded.length === 0 && body.system.length > 0) delete body.system;
    else body.system = forwarded;
  }
  if (isArray(body.messages)) forwardMessages(body, body.messages, forwarder);
  const { toolChanges } = forwarder;
  if (toolChanges.length > 0)
    body.tools = applyToolChanges(itemsOf(body.tools).filter(isObject), toolChanges, (tool) => tool);
  if (isArray(body.tools)) forwardTools(body, body.tools, { dialect, betas });
  if (dialect.cacheMarks !== 'cache_control') delete body.cache_control;
  betas.stripNested(body);
  return body;
}

/** SDKs send `null` for options that are not set, which Anthropic refuses for most of them. */
function pickFields(origin: JsonObject, betas: BetaFilter): Body {
  const body: JsonObject = {};
  for (const [name, value] of Object.entries(origin))
    if (value !== null && FIELDS.has(name) && betas.keepsField(name)) body[name] = value;
  return body;
}

/** A model that continues an answer does not think again. */
function startAnswer(body: Body, text: string): void {
  delete body.thinking;
  body.messages = [...itemsOf(body.messages), { role: 'assistant', content: text }];
}

function forwardMessages(
  body: Body,
  messages: Unchecked<MessagesMessage>[],
  forwarder: MessageForwarder,
): void {
  const forwarded = forwarder.forwardMessages(messages);
  if (forwarded.length > 0) body.messages = forwarded;
  // Anthropic refuses a manual thinking budget if the tool turn it continues has lost its thinking.
  const isManual = isObject(body.thinking) && body.thinking.type === 'enabled';
  if (forwarder.hasLostThinking && isManual && continuesBareToolTurn(forwarded)) delete body.thinking;
}

/** Whether the last assistant turn calls a tool and does not begin with thinking. */
export function continuesBareToolTurn(messages: readonly Unchecked<MessagesMessage>[]): boolean {
  const last = messages.findLast((message) => isObject(message) && message.role === 'assistant');
  const content = isObject(last) ? itemsOf(last.content).filter(isObject) : [];
  const begins = content[0]?.type;
  const callsTool = content.some(({ type }) => type === 'tool_use');
  return callsTool && begins !== 'thinking' && begins !== 'redacted_thinking';
}

interface TargetRules {
  dialect: Dialect;
  betas: BetaFilter;
}

function forwardTools(body: Body, tools: Unchecked<MessagesTool>[], rules: TargetRules): void {
  const forwarded = forwardList(tools, (tool) => (isObject(tool) ? forwardTool(tool, rules) : tool));
  if (forwarded.length > 0 || tools.length === 0) {
    body.tools = forwarded;
    return;
  }
  delete body.tools;
  delete body.tool_choice;
}

/** Without tool search every tool is sent eagerly, and the search tool is dropped. */
function forwardTool(tool: RawTool, { dialect, betas }: TargetRules): RawTool | undefined {
  if (!dialect.toolSearch && isToolSearch(tool.type)) return undefined;
  const kept = betas.strip(dialect.cacheMarks === 'cache_control' ? tool : without(tool, CACHE_MARK));
  return kept && !dialect.toolSearch ? without(kept, DEFERRAL) : kept;
}
