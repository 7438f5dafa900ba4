import type { Tool } from '#canonical';

/** The texts of a tool in a prompt. */
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
