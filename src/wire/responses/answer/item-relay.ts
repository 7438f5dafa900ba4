import type { JsonObject } from '#base';
import type { Relay } from '#canonical';
import { seal } from '../../seal.ts';
import { NATIVE_ISSUER, markSigned } from '../issued-reasoning.ts';
import { isObject, itemsOf } from '../../body/read-field.ts';
import type { ItemOf } from '../../body/unchecked.ts';
import type { AnswerItem, ReadAnswer, ReadEvent } from './answer-schema.ts';
import type { ResponsesBody } from '../schema.ts';
import { completeCitations, completePart } from './complete-citation.ts';
import type { AnswerContext } from './item-reader.ts';

import { textOf } from '../../body/read-answer.ts';
import { isWrapper } from './parallel-wrapper.ts';
import { findUsageLeftovers } from './usage.ts';

/** Members that describe the upstream request rather than the caller's. */
const OURS: ReadonlySet<string> = new Set<keyof ReadAnswer | keyof ResponsesBody | 'billing' | '__proto__'>([
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

/** Whether an item can be relayed unchanged to a Responses client: wrappers are unpacked, and items need a type. */
export function canRelay(item: AnswerItem, { toolNames }: AnswerContext): boolean {
  const type = textOf(item.type);
  return type !== '' && !(type === 'function_call' && isWrapper(textOf(item.name), toolNames));
}

/** Relays an event about an item; `item` replaces the one inside. */
export function createRelay(event: ReadEvent, type: string, context: AnswerContext): Relay {
  const { item, part } = event;
  if (!isObject(item)) {
    const value = isObject(part) ? { ...event, part: completePart(part) } : event;
    return { type: 'relay', format: 'responses', value: withType(value, type) };
  }
  const value = { ...event, type, item: localizeItem(item, context) };
  return { type: 'relay', format: 'responses', value };
}

function withType(event: ReadEvent, type: string): ReadEvent {
  return event.type === type ? event : { ...event, type };
}

/** Restores the caller's tool names in an item and marks encrypted reasoning with its issuer. */
function localizeItem(item: AnswerItem, context: AnswerContext): AnswerItem {
  if (item.type === 'message') return completeCitations(item);
  const { name, encrypted_content: secret } = item;
  const isCall = item.type === 'function_call' || item.type === 'custom_tool_call';
  const restored = isCall && typeof name === 'string' ? context.names.restore(name) : name;
  const isForeign = context.issuer !== NATIVE_ISSUER && item.type === 'reasoning';
  if (restored === name && !(isForeign && textOf(secret) !== '')) return item;
  const local: AnswerItem = { ...item };
  if (restored !== undefined) local.name = restored;
  if (isForeign && typeof secret === 'string' && secret !== '')
    local.encrypted_content = seal(
      { secret: markSigned(secret, hasText(item)), issuer: context.issuer },
      NATIVE_ISSUER,
    );
  return local;
}

function hasText({ summary, content }: AnswerItem): boolean {
  return itemsOf(summary).some(isText) || itemsOf(content).some(isText);
}

function isText(part: ItemOf<AnswerItem['content']>): boolean {
  return isObject(part) && textOf(part.text) !== '';
}

/**
 * Final members of a response that this gateway does not write itself, with items as relayed to clients of this format;
 * without items if one must be rewritten.
 */
export function describeEnd(response: ReadAnswer, context: AnswerContext): ReadAnswer {
  const end: ReadAnswer = findResponseLeftovers(response);
  const usage = findUsageLeftovers(response.usage);
  if (usage) end.usage = usage;
  const items = itemsOf(response.output).filter(isObject);
  if (items.length > 0 && items.every((item) => canRelay(item, context)))
    end.output = items.map((item) => localizeItem(item, context));
  return end;
}

/** Members of a response that this gateway does not write itself. */
export function findResponseLeftovers(response: ReadAnswer): JsonObject {
  const leftovers: JsonObject = {};
  for (const [name, value] of Object.entries(response)) if (!OURS.has(name)) leftovers[name] = value;
  return leftovers;
}
