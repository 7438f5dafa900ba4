import { type JsonObject, isJsonObject } from '#base';
import type { FormatId } from '#canonical';

/** The names of the tools that a body offers in a provider's format, in their order. */
export function listSentToolNames(format: FormatId, body: JsonObject): unknown[] {
  if (format === 'converse')
    return listOf(body['toolConfig'], 'tools').map((tool) => memberOf(tool, 'toolSpec'));
  const tools = listOf(body, 'tools');
  if (format === 'chat') return tools.map((tool) => memberOf(tool, 'function'));
  if (format === 'gemini')
    return tools.flatMap((tool) => listOf(tool, 'functionDeclarations').map(({ name }) => name));
  return tools.map(({ name }) => name);
}

function listOf(owner: unknown, name: string): JsonObject[] {
  const list = isJsonObject(owner) ? owner[name] : undefined;
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

function memberOf(tool: JsonObject, kind: string): unknown {
  const named = tool[kind] ?? tool['custom'];
  return isJsonObject(named) ? named['name'] : undefined;
}
