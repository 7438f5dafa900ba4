import type { NativeBlock, ToolResultBlock } from '#canonical';
import type { Members } from '../body/unchecked.ts';

/** Anthropic's `tool_reference`; the named tool is sent in full anyway. */
export function describeNative({ value }: NativeBlock): string {
  const { tool_name: name }: Members<{ tool_name: string }> = value;
  return typeof name === 'string' ? `Tool available: ${name}` : '';
}

/** A result without its call, as user text. */
export function describeOrphan(result: ToolResultBlock): string {
  const text = result.blocks
    .map((block) => (block.type === 'text' ? block.text : block.type === 'media' ? `[${block.kind}]` : ''))
    .filter((line) => line !== '')
    .join('\n');
  return `Result of an earlier tool call (${result.callId}): ${result.isError ? 'Error: ' : ''}${text}`;
}

/** Placeholder result of an interrupted call, because every call needs one. */
export function createMissingResult(callId: string): ToolResultBlock {
  const text = 'the tool call was interrupted and gave no result';
  return { type: 'tool-result', callId, blocks: [{ type: 'text', text }], isError: true };
}
