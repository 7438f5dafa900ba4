import { findBlockReason } from './block-reason.ts';
import type { Block, Finish, GenerationResult, Usage } from '#canonical';
import type { ReplyContext } from '../../contract.ts';
import { isObject } from '../../body/read-field.ts';
import type { Members } from '../../body/unchecked.ts';
import type { GeminiAnswer, GeminiCandidate, GeminiExtra, GeminiUsage } from './answer-schema.ts';

type Answer = Members<GeminiAnswer>;
type Candidate = Members<GeminiCandidate>;
import { PartWriter } from './encode-parts.ts';
import { MALFORMED_CALL, encodeFinish } from './finish.ts';
import { encodeCitations } from './grounding.ts';
import { encodeUsage } from './usage.ts';

export function encodeResult(
  result: GenerationResult,
  context: ReplyContext,
  showsThoughts: boolean,
): Answer {
  const { top, usage: leftovers } = splitExtra(result.extra?.gemini);
  return {
    ...(isBlocked(result, top) ? {} : { candidates: [encodeCandidate(result, 0, showsThoughts)] }),
    ...top,
    ...(result.usage && { usageMetadata: encodeUsage(result.usage, leftovers) }),
    modelVersion: context.model,
    responseId: result.id === '' ? context.answerId : result.id,
  };
}

/** Encodes several generations as the candidates of one answer. */
export function encodeChoices(
  results: readonly GenerationResult[],
  usage: Usage | undefined,
  { context, showsThoughts }: { context: ReplyContext; showsThoughts: boolean },
): Answer {
  return {
    candidates: results.map((result, index) => encodeCandidate(result, index, showsThoughts)),
    ...(usage && { usageMetadata: encodeUsage(usage) }),
    modelVersion: context.model,
    responseId: context.answerId,
  };
}

function encodeCandidate(result: GenerationResult, index: number, showsThoughts: boolean): Candidate {
  const writer = new PartWriter(showsThoughts);
  const parts = [...result.blocks.flatMap((block) => writer.encode(block)), ...writer.flush()];
  return {
    content: { parts: parts.length === 0 ? [{ text: '' }] : parts, role: 'model' },
    ...closeCandidate(result, writer.hasMalformedCall),
    index,
  };
}

/** The end of a candidate: its finish reason and the other members its upstream sent. */
export function closeCandidate(
  { finish, blocks, extra }: Pick<GenerationResult, 'finish' | 'blocks' | 'extra'>,
  hasMalformedCall: boolean,
): Candidate {
  const { candidate } = splitExtra(extra?.gemini);
  const grounding = candidate.groundingMetadata === undefined ? encodeCitations(blocks) : undefined;
  return {
    finishReason: toFinishReason(finish, hasMalformedCall),
    ...(finish.limitedBy && { finishMessage: `${finish.limitedBy.code}: ${finish.limitedBy.message}` }),
    ...(grounding && { groundingMetadata: grounding }),
    ...candidate,
  };
}

function toFinishReason(finish: Finish, hasMalformedCall: boolean): string {
  const word = encodeFinish(finish);
  return hasMalformedCall && word === 'STOP' ? MALFORMED_CALL : word;
}

/** A prompt that Google blocked has no candidate. */
export function isBlocked({ blocks }: { blocks: readonly Block[] }, top: Answer): boolean {
  return blocks.length === 0 && findBlockReason(top.promptFeedback) !== undefined;
}

/** Kept members of a Gemini answer, grouped by where they are restored. */
export function splitExtra(extra: Members<GeminiExtra> | undefined): {
  top: Answer;
  candidate: Candidate;
  usage: Members<GeminiUsage>;
} {
  const { candidate, usageMetadata, ...top } = extra ?? {};
  return {
    top,
    candidate: isObject(candidate) ? candidate : {},
    usage: isObject(usageMetadata) ? usageMetadata : {},
  };
}
