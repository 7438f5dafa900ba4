import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import type { Relay } from '#canonical';
import { seal } from '../seal.ts';
import { NATIVE_ISSUER, markSigned } from './issued-reasoning.ts';
import { completeCitations } from './complete-citation.ts';
import type { AnswerContext } from './item-reader.ts';

import { textOf } from '../read-answer.ts';
import { isWrapper } from './parallel-wrapper.ts';
import { findUsageLeftovers } from './usage.ts';

/** Members of a response that say what was done with the request upstream, not what the caller asked of this gateway. */
const OURS: ReadonlySet<string> = new Set([
  'id',
  'object',
  'created_at',
  'status',
  'error',
  'incomplete_details',
  'model',
  'output',
  'usage',
  'store',
  'background',
  'billing',
  'conversation',
  'input',
  'instructions',
  'metadata',
  'previous_response_id',
  'prompt_cache_key',
  'safety_identifier',
  'user',
  '__proto__',
]);

/** Where a whole answer keeps its items for a client of this format. */
export const RELAYED_OUTPUT = 'output';

/** Whether an item may reach a Responses client as it came: a wrapper's calls are unpacked, and items need a type. */
export function canRelay(item: JsonObject, { toolNames }: AnswerContext): boolean {
  const type = textOf(item['type']);
  return type !== '' && !(type === 'function_call' && isWrapper(textOf(item['name']), toolNames));
}

/** An event about an item; `item` replaces the one inside. */
export function createRelay(event: JsonObject, type: string, context: AnswerContext): Relay {
  const { item, part } = event;
  if (!isJsonObject(item)) {
    const whole = isJsonObject(part) ? completeCitations(part) : part;
    const value = whole === undefined || whole === part ? event : { ...event, part: whole };
    return { type: 'relay', format: 'responses', value: withType(value, type) };
  }
  const value = { ...event, type, item: localizeItem(item, context) };
  return { type: 'relay', format: 'responses', value };
}

function withType(event: JsonObject, type: string): JsonObject {
  return event['type'] === type ? event : { ...event, type };
}

/** An item with the names the caller gave its tools, and with the issuer's mark on encrypted reasoning. */
function localizeItem(item: JsonObject, context: AnswerContext): JsonObject {
  if (item['type'] === 'message') return completeCitations(item);
  const { name, encrypted_content: secret } = item;
  const isCall = item['type'] === 'function_call' || item['type'] === 'custom_tool_call';
  const restored = isCall && typeof name === 'string' ? context.restoreName(name) : name;
  const isForeign = context.issuer !== NATIVE_ISSUER && item['type'] === 'reasoning';
  if (restored === name && !(isForeign && textOf(secret) !== '')) return item;
  const local: JsonObject = { ...item };
  if (restored !== undefined) local['name'] = restored;
  if (isForeign && typeof secret === 'string' && secret !== '')
    local['encrypted_content'] = seal(
      { secret: markSigned(secret, hasText(item)), issuer: context.issuer },
      NATIVE_ISSUER,
    );
  return local;
}

function hasText({ summary, content }: JsonObject): boolean {
  return [summary, content].some((parts) => Array.isArray(parts) && parts.some(saysAnything));
}

function saysAnything(part: JsonValue): boolean {
  return isJsonObject(part) && textOf(part['text']) !== '';
}

/**
 * What a response says at its end beside the members this gateway writes itself, with its items as a client of this format
 * gets them; without items where one of them has to be rewritten.
 */
export function describeEnd(response: JsonObject, context: AnswerContext): JsonObject {
  const end = findResponseLeftovers(response);
  const usage = findUsageLeftovers(response['usage']);
  if (usage) end['usage'] = usage;
  const items = Array.isArray(response['output']) ? response['output'].filter(isJsonObject) : [];
  if (items.length > 0 && items.every((item) => canRelay(item, context)))
    end[RELAYED_OUTPUT] = items.map((item) => localizeItem(item, context));
  return end;
}

/** What a response says beside the members this gateway writes itself. */
export function findResponseLeftovers(response: JsonObject): JsonObject {
  const leftovers: JsonObject = {};
  for (const [name, value] of Object.entries(response)) if (!OURS.has(name)) leftovers[name] = value;
  return leftovers;
}
