import type { JsonObject, SseMessage } from '#base';
import type { AnswerPlan } from '../../support/upstream-answers.ts';

type Said = Pick<AnswerPlan, 'text' | 'reasoning' | 'toolCalls'>;

const SIGNATURE = 'mock-signature';

/** A complete answer of Bedrock's Converse. */
export function createConverseAnswer(said: Said, usage: JsonObject): JsonObject {
  const content: JsonObject[] = [];
  const { text, reasoning } = said;
  if (reasoning !== undefined)
    content.push({ reasoningContent: { reasoningText: { text: reasoning, signature: SIGNATURE } } });
  if (text !== undefined && text !== '') content.push({ text });
  for (const { id, name, input } of said.toolCalls ?? [])
    content.push({ toolUse: { toolUseId: id, name, input } });
  return { output: { message: { role: 'assistant', content } }, stopReason: stopOf(said), usage };
}

function stopOf({ toolCalls }: Said): string {
  return toolCalls ? 'tool_use' : 'end_turn';
}

/** The same answer as events. */
export function createConverseEvents(said: Said, usage: JsonObject): SseMessage[] {
  const messages: SseMessage[] = [];
  let index = 0;
  const add = (event: string, body: JsonObject): void => {
    messages.push({ event, data: JSON.stringify(body) });
  };
  const addBlock = (deltas: JsonObject[], start?: JsonObject): void => {
    if (start) add('contentBlockStart', { contentBlockIndex: index, start });
    for (const delta of deltas) add('contentBlockDelta', { contentBlockIndex: index, delta });
    add('contentBlockStop', { contentBlockIndex: index });
    index += 1;
  };
  add('messageStart', { role: 'assistant' });
  const { text, reasoning } = said;
  if (reasoning !== undefined)
    addBlock([{ reasoningContent: { text: reasoning } }, { reasoningContent: { signature: SIGNATURE } }]);
  if (text !== undefined && text !== '') addBlock(Array.from(text, (letter) => ({ text: letter })));
  for (const { id, name, input } of said.toolCalls ?? [])
    addBlock([{ toolUse: { input: JSON.stringify(input) } }], { toolUse: { toolUseId: id, name } });
  add('messageStop', { stopReason: stopOf(said) });
  add('metadata', { usage });
  return messages;
}
