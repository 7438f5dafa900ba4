import type { Tool } from '#canonical';

/** What a prompt has of a tool, as texts. */
export function listToolTexts(tool: Tool): string[] {
  if (tool.type === 'native') return [JSON.stringify(tool.value)];
  const { name, description } = tool;
  const schema = tool.type === 'function' ? tool.inputSchema : tool.format;
  return [
    name,
    ...(description === undefined ? [] : [description]),
    ...(schema ? [JSON.stringify(schema)] : []),
  ];
}
