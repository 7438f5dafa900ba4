import { append } from '#base';
import type { EncodeContext } from '../../request/encode-context.ts';
import { listInstructions } from '../../request/instructions.ts';
import { refusePrefill } from '../../errors/refuse-feature.ts';
import type { ChatMessage } from '../schema.ts';
import type { Members } from '../../body/unchecked.ts';
import { encodeTurns } from './encode-turns.ts';
import { PartList } from './part-list.ts';

/** Writes the whole conversation; `instruction` follows the caller's own instructions. */
export function encodeMessages(
  context: EncodeContext,
  instruction: string | undefined,
): Members<ChatMessage>[] {
  const { request, dialect } = context;
  const messages: Members<ChatMessage>[] = [];
  const system = new PartList(dialect.cacheMarks);
  for (const { text, cache } of listInstructions(request.system)) system.addText(text, cache);
  if (instruction !== undefined) system.addText(instruction);
  if (!system.isEmpty) messages.push({ role: dialect.systemRole, content: system.toText('\n\n') });
  append(messages, encodeTurns(request.turns, context));
  if (!dialect.prefill && messages.at(-1)?.role === 'assistant') refusePrefill();
  return messages;
}
