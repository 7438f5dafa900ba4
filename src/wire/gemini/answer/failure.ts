import type { JsonValue } from '#base';
import type { UpstreamFailure } from '#errors';
import { CREDENTIAL_REFUSED } from '../../errors/account-messages.ts';
import type { FailedResponse } from '../../contract.ts';
import { isArray, isObject } from '../../body/read-field.ts';
import type { Unchecked } from '../../body/unchecked.ts';
import type { GeminiError } from './answer-schema.ts';
import {
  decodeFailure as decodeCommonFailure,
  findFailure as findCommonFailure,
} from '../../errors/openai-error.ts';

/** Google reports an invalid key as a malformed request. */
const BAD_KEY = /API_KEY_INVALID|API_KEY_SERVICE_BLOCKED|API key (?:not valid|expired)/;

/** Reads an error response: `{ error: { code, message, status, details } }`, alone or in an array. */
export function decodeFailure(response: FailedResponse): UpstreamFailure {
  const failure = decodeCommonFailure(response);
  if (!BAD_KEY.test(response.body)) return failure;
  return { ...failure, kind: 'credential-refused', message: CREDENTIAL_REFUSED };
}

/** The failure in a body or chunk that claims success, if any. */
export function findFailure(value: JsonValue): UpstreamFailure | undefined {
  const body: Unchecked<GeminiError | GeminiError[]> = value;
  const isError = isArray(body)
    ? body.some((item) => isObject(item) && isObject(item.error))
    : isObject(body) && Boolean(body.error);
  return isError ? findCommonFailure(value) : undefined;
}
