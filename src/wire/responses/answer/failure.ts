import { isObject } from '../../body/read-field.ts';
import type { ReadAnswer, ReadEvent } from './answer-schema.ts';
import type { UpstreamFailure } from '#errors';
import { createGarbled, describeValue, findFailure } from '../../errors/openai-error.ts';

const ENDED: ReadonlySet<unknown> = new Set(['completed', 'incomplete', undefined]);

/** The failure that a whole answer represents; undefined if it succeeded. */
export function findAnswerFailure(response: ReadAnswer): UpstreamFailure | undefined {
  const { status, error } = response;
  if (isObject(error) || status === 'failed')
    return findFailure({ error: isObject(error) ? error : {} }, true);
  if (status === 'cancelled') return { kind: 'broken', message: 'the provider cancelled its answer' };
  return ENDED.has(status) ? undefined : createGarbled(describeValue(response));
}

/** The failure of an error event, whose error is flat, or nested as in error bodies. */
export function findEventFailure(event: ReadEvent): UpstreamFailure {
  const { error, message, code, param } = event;
  const given = isObject(error) || typeof error === 'string' ? error : { message, code, param };
  return findFailure({ error: given }, true) ?? createGarbled(describeValue(event));
}
