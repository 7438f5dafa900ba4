import type { NativeBlock, ToolResultBlock } from '#canonical';

/** Anthropic's `tool_reference`: the tool it names is sent in full anyway. */
export function describeNative(block: NativeBlock): string {
  const name = block.value['tool_name'];
  return typeof name === 'string' ? `Tool available: ${name}` : '';
}

/** A result without its call, as the user's words. */
export function describeOrphan(result: ToolResultBlock): string {
  const text = result.blocks
    .map((block) => (block.type === 'text' ? block.text : block.type === 'media' ? `[${block.kind}]` : ''))
    .filter((line) => line !== '')
    .join('\n');
  return `Result of an earlier tool call (${result.callId}): ${result.isError ? 'Error: ' : ''}${text}`;
}

/** What stands for the result of a call that was interrupted: every call needs one. */
export function createMissingResult(callId: string): ToolResultBlock {
  const text = 'the tool call was interrupted and gave no result';
  return { type: 'tool-result', callId, blocks: [{ type: 'text', text }], isError: true };
}
