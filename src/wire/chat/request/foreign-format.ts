import { isObject, itemsOf } from '../../body/read-field.ts';
import type { Members } from '../../body/unchecked.ts';

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

/** The members by which a Messages request is recognized. */
export type MessagesBody = Members<{
  system: string;
  tools: { input_schema: object }[];
  messages: { content: { type: string }[] }[];
}>;

/** Paths that identify a body as a Messages request; none for a Chat body, however malformed. */
export function findMessagesPaths(body: MessagesBody): string[] {
  const paths: string[] = [];
  if (body.system !== undefined) paths.push('system');
  itemsOf(body.tools).forEach((tool, at) => {
    if (isObject(tool) && tool.input_schema !== undefined) paths.push(`tools[${at}].input_schema`);
  });
  itemsOf(body.messages).forEach((message, at) => {
    if (!isObject(message)) return;
    itemsOf(message.content).forEach((part, index) => {
      const type = isObject(part) ? part.type : undefined;
      if (typeof type === 'string' && FOREIGN_BLOCKS.has(type)) {
        paths.push(`messages[${at}].content[${index}] (${type})`);
      }
    });
  });
  return paths.slice(0, MOST_PATHS);
}
