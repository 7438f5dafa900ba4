import type { Block, GenerationResult } from '#canonical';
import type { UpstreamFailure } from '#errors';
import { CallIds } from '../tools/call-ids.ts';
import { textOf } from '../body/read-answer.ts';
import { isArray, isObject, itemsOf } from '../body/read-field.ts';
import type { Members } from '../body/unchecked.ts';
import type { ConverseAnswer, ConverseException } from './answer-schema.ts';
import { decodeException } from './failure.ts';
import { decodeFinish, findMalformed } from './finish.ts';
import type { ConverseBlock, ConverseCall, ConverseCited, ConverseReasoning } from './schema.ts';
import { decodeUsage } from './usage.ts';
import type { AnswerNames } from '../tools/tool-names.ts';

type RawAnswer = Members<ConverseAnswer & ConverseException>;

/** Facts that a Converse answer does not contain. */
export interface AnswerContext {
  names: AnswerNames;
  /** The issuer of the answer's signatures (`Dialect.issuer`). */
  issuer: string;
  /** The requested model; the answer does not name one. */
  model: string;
}

export function decodeResult(body: RawAnswer, context: AnswerContext): GenerationResult | UpstreamFailure {
  const { output, stopReason, usage } = body;
  const message = isObject(output) ? output.message : undefined;
  if (!isObject(message) || !isArray(message.content)) return judge(body);
  const malformed = findMalformed(stopReason);
  if (malformed) return malformed;
  const decoded = isObject(usage) ? decodeUsage(usage) : undefined;
  const blocks = message.content.flatMap((raw) => (isObject(raw) ? decodeBlock(raw, context) : []));
  const ids = new CallIds();
  return {
    id: '',
    model: context.model,
    blocks: blocks.map((block) => ids.claimOf(block)),
    finish: decodeFinish(stopReason, body.additionalModelResponseFields),
    ...(decoded && { usage: decoded }),
  };
}

function judge(body: RawAnswer): UpstreamFailure {
  if (typeof body.message === 'string' || typeof body.__type === 'string')
    return decodeException(undefined, body);
  const detail = JSON.stringify(body).slice(0, 2048);
  return {
    kind: 'garbled',
    message: 'the provider returned a response that is not a Converse answer',
    detail,
  };
}

function decodeBlock(raw: Members<ConverseBlock>, { names, issuer }: AnswerContext): Block[] {
  const { text, toolUse, reasoningContent: reasoning, citationsContent: cited } = raw;
  if (typeof text === 'string') return text === '' ? [] : [{ type: 'text', text }];
  if (isObject(toolUse)) return [decodeToolUse(toolUse, names)];
  if (isObject(reasoning)) return decodeReasoning(reasoning, issuer);
  return isObject(cited) ? decodeCited(cited) : [];
}

function decodeToolUse({ toolUseId, name, input }: Members<ConverseCall>, names: AnswerNames): Block {
  const json = isObject(input) ? JSON.stringify(input) : textOf(input);
  return {
    type: 'tool-call',
    id: textOf(toolUseId),
    name: names.restore(textOf(name)),
    input: { json: json === '' ? '{}' : json },
  };
}

function decodeReasoning(reasoning: Members<ConverseReasoning>, issuer: string): Block[] {
  const { redactedContent, reasoningText } = reasoning;
  if (typeof redactedContent === 'string')
    return [{ type: 'reasoning', text: '', redacted: redactedContent, issuer }];
  if (!isObject(reasoningText)) return [];
  const signature = textOf(reasoningText.signature);
  const text = textOf(reasoningText.text);
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
