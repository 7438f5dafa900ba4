import { type JsonObject, isJsonObject } from '#base';
import type { Block, GenerationResult } from '#canonical';
import type { UpstreamFailure } from '#errors';
import { textOf } from '../read-answer.ts';
import { decodeException } from './failure.ts';
import { decodeFinish, findMalformed } from './finish.ts';
import { decodeUsage } from './usage.ts';

/** Facts that a Converse answer does not contain. */
export interface AnswerContext {
  /** Returns the caller's name for a tool. */
  restoreName(name: string): string;
  /** The issuer of the answer's signatures (`Dialect.issuer`). */
  issuer: string;
  /** The requested model; the answer does not name one. */
  model: string;
}

export function decodeResult(body: JsonObject, context: AnswerContext): GenerationResult | UpstreamFailure {
  const { output, stopReason, usage } = body;
  const message = isJsonObject(output) && isJsonObject(output['message']) ? output['message'] : undefined;
  if (!message || !Array.isArray(message['content'])) return judge(body);
  const malformed = findMalformed(stopReason);
  if (malformed) return malformed;
  const decoded = isJsonObject(usage) ? decodeUsage(usage) : undefined;
  const blocks = message['content'].flatMap((raw) => (isJsonObject(raw) ? decodeBlock(raw, context) : []));
  return {
    id: '',
    model: context.model,
    blocks,
    finish: decodeFinish(stopReason, body['additionalModelResponseFields']),
    ...(decoded && { usage: decoded }),
  };
}

function judge(body: JsonObject): UpstreamFailure {
  if (typeof body['message'] === 'string' || typeof body['__type'] === 'string')
    return decodeException(undefined, body);
  const detail = JSON.stringify(body).slice(0, 2048);
  return {
    kind: 'garbled',
    message: 'the provider returned a response that is not a Converse answer',
    detail,
  };
}

function decodeBlock(raw: JsonObject, { restoreName, issuer }: AnswerContext): Block[] {
  const { text, toolUse, reasoningContent: reasoning, citationsContent: cited } = raw;
  if (typeof text === 'string') return text === '' ? [] : [{ type: 'text', text }];
  if (isJsonObject(toolUse)) return [decodeToolUse(toolUse, restoreName)];
  if (isJsonObject(reasoning)) return decodeReasoning(reasoning, issuer);
  return isJsonObject(cited) ? decodeCited(cited) : [];
}

function decodeToolUse(
  { toolUseId, name, input }: JsonObject,
  restoreName: AnswerContext['restoreName'],
): Block {
  const json = isJsonObject(input) ? JSON.stringify(input) : textOf(input);
  return {
    type: 'tool-call',
    id: textOf(toolUseId),
    name: restoreName(textOf(name)),
    input: { json: json === '' ? '{}' : json },
  };
}

function decodeReasoning(reasoning: JsonObject, issuer: string): Block[] {
  const { redactedContent, reasoningText } = reasoning;
  if (typeof redactedContent === 'string')
    return [{ type: 'reasoning', text: '', redacted: redactedContent, issuer }];
  if (!isJsonObject(reasoningText)) return [];
  const signature = textOf(reasoningText['signature']);
  const text = textOf(reasoningText['text']);
  if (text === '' && signature === '') return [];
  return [{ type: 'reasoning', text, ...(signature !== '' && { signature }), issuer }];
}

/** Text with its sources, which stay in this format. */
function decodeCited({ content, citations }: JsonObject): Block[] {
  const parts = Array.isArray(content) ? content.filter(isJsonObject) : [];
  const text = parts.map((part) => textOf(part['text'])).join('');
  const values = Array.isArray(citations) ? citations.filter(isJsonObject) : [];
  const annotations = values.map((value) => ({ format: 'converse' as const, value }));
  return text === '' ? [] : [{ type: 'text', text, ...(annotations.length > 0 && { annotations }) }];
}
