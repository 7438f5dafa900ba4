import { type JsonObject, type JsonValue, isJsonObject } from '#base';

const MOST_MARKS = 4;

/** Keeps the cache marks of a body built here within Anthropic's rules: at most four, and none of an hour after one of five minutes. */
export function limitCacheMarks(body: JsonObject): void {
  const marked: JsonObject[] = [];
  collect(body['tools'], marked);
  collect(body['system'], marked);
  if (Array.isArray(body['messages'])) {
    for (const message of body['messages']) if (isJsonObject(message)) collect(message['content'], marked);
  }
  // The last marks cover the longest prefixes.
  for (const block of marked.splice(0, Math.max(0, marked.length - MOST_MARKS)))
    delete block['cache_control'];
  let hasShort = false;
  for (const block of marked) {
    const mark = block['cache_control'];
    if (isJsonObject(mark) && mark['ttl'] !== '1h') hasShort = true;
    else if (hasShort) block['cache_control'] = { type: 'ephemeral' };
  }
}

function collect(blocks: JsonValue | undefined, marked: JsonObject[]): void {
  if (!Array.isArray(blocks)) return;
  for (const block of blocks) {
    if (!isJsonObject(block)) continue;
    if (block['type'] === 'tool_result') collect(block['content'], marked);
    if (block['cache_control'] !== undefined) marked.push(block);
  }
}
