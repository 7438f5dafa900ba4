import type { JsonObject } from '#base';
import type { AnswerEvent, Filled } from './upstream-answers.ts';

const SIGNATURE = Buffer.from('mock-thought-signature').toString('base64');

/** A complete answer of a Gemini provider. */
export function toGemini(filled: Filled, model: string): JsonObject {
  const { deltas } = filled;
  const text = deltas.length === 0 ? [] : [{ text: deltas.join('') }];
  return toAnswer(filled, model, {
    parts: [...thoughtsOf(filled), ...text, ...callsOf(filled)],
    isLast: true,
  });
}

function thoughtsOf({ plan }: Filled): JsonObject[] {
  return plan.reasoning === undefined ? [] : [{ text: plan.reasoning, thought: true }];
}

function callsOf({ plan }: Filled): JsonObject[] {
  return (plan.toolCalls ?? []).map(({ id, name, input }, at) => ({
    functionCall: { id, name, args: input },
    ...(at === 0 && { thoughtSignature: SIGNATURE }),
  }));
}

interface Piece {
  parts: JsonObject[];
  isLast: boolean;
}

function toAnswer({ plan, truth, tokens }: Filled, model: string, { parts, isLast }: Piece): JsonObject {
  const usage = {
    promptTokenCount: truth.inputTokens,
    candidatesTokenCount: tokens,
    totalTokenCount: truth.inputTokens + tokens,
  };
  return {
    candidates: [{ index: 0, content: { role: 'model', parts }, ...(isLast && { finishReason: 'STOP' }) }],
    ...(plan.usage !== null && { usageMetadata: plan.usage ?? usage }),
    modelVersion: model,
    responseId: plan.id ?? `gemini-mock${truth.number}`,
  };
}

/** The same answer as events; calls are sent whole. */
export function toGeminiEvents(filled: Filled, model: string): AnswerEvent[] {
  const pieces = [
    ...thoughtsOf(filled),
    ...filled.deltas.map((text): JsonObject => ({ text })),
    ...callsOf(filled),
  ];
  const events = pieces.map((part, at) => ({
    data: JSON.stringify(toAnswer(filled, model, { parts: [part], isLast: at === pieces.length - 1 })),
    tokens: 1,
  }));
  if (events.length > 0) return events;
  return [{ data: JSON.stringify(toAnswer(filled, model, { parts: [], isLast: true })), tokens: 0 }];
}
