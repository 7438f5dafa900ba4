import type { GenerationResult } from '#canonical';
import type { UpstreamFailure } from '#errors';
import { readSafely } from '../answer/answer-decoder.ts';
import { objectOf } from '../body/read-answer.ts';
import { isArray, isObject } from '../body/read-field.ts';
import type { Members } from '../body/unchecked.ts';
import { createGarbled } from '../errors/openai-error.ts';
import { CallIds } from '../tools/call-ids.ts';
import { describeEnd } from './answer-reader.ts';
import type { ConverseAnswer, ConverseException } from './answer-schema.ts';
import { type AnswerContext, decodeAnswerBlock } from './decode-answer-block.ts';
import { decodeException } from './failure.ts';
import { findMalformed } from './finish.ts';

type Answer = Members<ConverseAnswer & ConverseException>;

export function decodeResult(body: Answer, context: AnswerContext): GenerationResult | UpstreamFailure {
  return readSafely(() => readWhole(body, context));
}

/** The blocks of a whole answer are complete, so they need no events. */
function readWhole(body: Answer, context: AnswerContext): GenerationResult | UpstreamFailure {
  const { content } = objectOf(objectOf(body.output).message);
  if (!isArray(content)) return toFailure(body);
  const malformed = findMalformed(body.stopReason);
  if (malformed) return malformed;
  const ids = new CallIds();
  const blocks = content.flatMap((raw) => (isObject(raw) ? decodeAnswerBlock(raw, context) : []));
  return {
    id: '',
    model: context.model,
    blocks: blocks.map((block) => ids.claimOf(block)),
    ...describeEnd(body, body.usage),
  };
}

function toFailure(body: Answer): UpstreamFailure {
  if (typeof body.message === 'string' || typeof body.__type === 'string')
    return decodeException(undefined, body);
  return createGarbled(
    JSON.stringify(body),
    'the provider returned a response that is not a Converse answer',
  );
}
