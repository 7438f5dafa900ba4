import { type JsonObject, append } from '#base';
import { GatewayError } from '#errors';
import { withoutAttribution } from '../attribution.ts';
import type { EncodeContext } from './encode-context.ts';
import { encodeTurns } from './encode-turns.ts';
import { PartList } from './part-list.ts';

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
  append(messages, encodeTurns(request.turns, context));
  if (!dialect.prefill && messages.at(-1)?.['role'] === 'assistant') {
    throw new GatewayError(
      'unsupported_feature',
      "this model's provider cannot continue a conversation that ends with the assistant",
      { param: 'messages' },
    );
  }
  return messages;
}
