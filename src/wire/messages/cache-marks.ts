import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import { limitMarks } from '../limit-marks.ts';

/** Limits the cache marks of an encoded body to what Anthropic accepts. */
export function limitCacheMarks(body: JsonObject): void {
  const marked: JsonObject[] = [];
  collect(body['tools'], marked);
  collect(body['system'], marked);
  if (Array.isArray(body['messages'])) {
    for (const message of body['messages']) if (isJsonObject(message)) collect(message['content'], marked);
  }
  limitMarks(marked, { isLong, shorten, remove });
}

function collect(blocks: JsonValue | undefined, marked: JsonObject[]): void {
  if (!Array.isArray(blocks)) return;
  for (const block of blocks) {
    if (!isJsonObject(block)) continue;
    if (block['type'] === 'tool_result') collect(block['content'], marked);
    if (block['cache_control'] !== undefined) marked.push(block);
  }
}

function isLong({ cache_control: mark }: JsonObject): boolean {
  return !isJsonObject(mark) || mark['ttl'] === '1h';
}

function shorten(block: JsonObject): void {
  block['cache_control'] = { type: 'ephemeral' };
}

function remove(block: JsonObject): void {
  delete block['cache_control'];
}
