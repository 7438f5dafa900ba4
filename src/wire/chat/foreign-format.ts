import { type JsonObject, type JsonValue, isJsonObject } from '#base';

const MOST_PATHS = 8;
const FOREIGN_BLOCKS = new Set([
  'tool_use',
  'tool_result',
  'thinking',
  'redacted_thinking',
  'image',
  'document',
  'server_tool_use',
]);

/** Paths at which a body is built as a Messages request; none for a Chat body, however malformed. */
export function findMessagesPaths(body: JsonObject): string[] {
  const paths: string[] = [];
  if (body['system'] !== undefined) paths.push('system');
  listOf(body['tools']).forEach((tool, at) => {
    if (isJsonObject(tool) && tool['input_schema'] !== undefined) paths.push(`tools[${at}].input_schema`);
  });
  listOf(body['messages']).forEach((message, at) => {
    if (!isJsonObject(message)) return;
    listOf(message['content']).forEach((part, index) => {
      const type = isJsonObject(part) ? part['type'] : undefined;
      if (typeof type === 'string' && FOREIGN_BLOCKS.has(type)) {
        paths.push(`messages[${at}].content[${index}] (${type})`);
      }
    });
  });
  return paths.slice(0, MOST_PATHS);
}

function listOf(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}
