import type { JsonObject } from '#base';
import type { Block } from '#canonical';
import { GatewayError } from '#errors';
import type { EncodeContext } from './encode-context.ts';
import { encodeTurns } from './encode-turns.ts';
import { PartList } from './part-list.ts';

/** Claude Code's first instruction: a fingerprint for Anthropic that changes per request and would defeat every prompt cache. */
const ATTRIBUTION = 'x-anthropic-billing-header:';

/** Writes the whole conversation; `instruction` is said after the caller's own instructions. */
export function encodeMessages(context: EncodeContext, instruction: string | undefined): JsonObject[] {
  const { request, dialect } = context;
  const messages: JsonObject[] = [];
  const system = new PartList(dialect.cacheMarks);
  for (const block of withoutAttribution(request.system)) {
    if (block.type === 'text') system.addText(block.text, block.cache);
  }
  if (instruction !== undefined) system.addText(instruction);
  if (!system.isEmpty) messages.push({ role: dialect.systemRole, content: system.toText('\n\n') });
  messages.push(...encodeTurns(request.turns, context));
  if (!dialect.prefill && messages.at(-1)?.['role'] === 'assistant') {
    throw new GatewayError(
      'unsupported_feature',
      "this model's provider cannot continue a conversation that ends with the assistant",
      { param: 'messages' },
    );
  }
  return messages;
}

function withoutAttribution(system: Block[]): Block[] {
  const [first, ...rest] = system;
  return first?.type === 'text' && first.text.startsWith(ATTRIBUTION) ? rest : system;
}
