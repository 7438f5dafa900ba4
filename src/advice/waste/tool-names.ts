import type { PromptRow, ToolSample } from '#logs';

/** Names and lengths of tools by the hash of their name: rows name one tool each. The latest counts. */
export function listToolNames(rows: readonly PromptRow[]): Map<number, ToolSample> {
  const names = new Map<number, ToolSample>();
  for (const { toolNames, parts } of rows) {
    const hash = parts.sample && toolNames[parts.sample.tool];
    if (parts.sample && hash !== undefined) names.set(hash, parts.sample);
  }
  return names;
}
