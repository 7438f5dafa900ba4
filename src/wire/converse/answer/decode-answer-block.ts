import type { Block, ToolCallBlock } from '#canonical';
import { objectOf, textOf } from '../../body/read-answer.ts';
import { isObject, itemsOf } from '../../body/read-field.ts';
import type { Members } from '../../body/unchecked.ts';
import type { ConverseBlock, ConverseCall, ConverseCited, ConverseReasoning } from '../schema.ts';
import type { AnswerNames } from '../../tools/tool-names.ts';

/** Facts that a Converse answer does not contain. */
export interface AnswerContext {
  names: AnswerNames;
  /** The issuer of the answer's signatures (`Dialect.issuer`). */
  issuer: string;
  /** The requested model; the answer does not name one. */
  model: string;
}

/** A block of a whole answer; none if it is empty or unknown. */
export function decodeAnswerBlock(raw: Members<ConverseBlock>, { names, issuer }: AnswerContext): Block[] {
  const { text, toolUse, reasoningContent: reasoning, citationsContent: cited } = raw;
  if (typeof text === 'string') return text === '' ? [] : [{ type: 'text', text }];
  if (isObject(toolUse)) return [decodeCall(toolUse, names)];
  if (isObject(reasoning)) return decodeReasoning(reasoning, issuer);
  return isObject(cited) ? decodeCited(cited) : [];
}

export function decodeCall(call: Members<ConverseCall>, names: AnswerNames): ToolCallBlock {
  const { toolUseId, name, input } = call;
  const json = isObject(input) ? JSON.stringify(input) : textOf(input);
  return {
    type: 'tool-call',
    id: textOf(toolUseId),
    name: names.restore(textOf(name)),
    input: { json: json === '' ? '{}' : json },
  };
}

function decodeReasoning(reasoning: Members<ConverseReasoning>, issuer: string): Block[] {
  const redacted = textOf(reasoning.redactedContent);
  if (redacted !== '') return [{ type: 'reasoning', text: '', redacted, issuer }];
  const given = objectOf(reasoning.reasoningText);
  const signature = textOf(given.signature);
  const text = textOf(given.text);
  if (text === '' && signature === '') return [];
  return [{ type: 'reasoning', text, ...(signature !== '' && { signature }), issuer }];
}

/** Text with its sources, which stay in this format. */
function decodeCited({ content, citations }: Members<ConverseCited>): Block[] {
  const parts = itemsOf(content).filter(isObject);
  const text = parts.map((part) => textOf(part.text)).join('');
  const values = itemsOf(citations).filter(isObject);
  const annotations = values.map((value) => ({ format: 'converse' as const, value }));
  return text === '' ? [] : [{ type: 'text', text, ...(annotations.length > 0 && { annotations }) }];
}
