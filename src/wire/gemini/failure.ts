import { type JsonValue, isJsonObject } from '#base';
import type { UpstreamFailure } from '#errors';
import type { FailedResponse } from '../contract.ts';
import { decodeFailure as decodeCommonFailure, findFailure as findCommonFailure } from '../openai-error.ts';

/** Google tells a bad key as a malformed request. */
const BAD_KEY = /API_KEY_INVALID|API_KEY_SERVICE_BLOCKED|API key (?:not valid|expired)/;

/** Reads an answer that is not a success: `{ error: { code, message, status, details } }`, alone or in an array. */
export function decodeFailure(response: FailedResponse): UpstreamFailure {
  const failure = decodeCommonFailure(response);
  return BAD_KEY.test(response.body) ? toCredentialFailure(failure) : failure;
}

/** The failure inside a body or a chunk that claims success; nothing where there is none. */
export function findFailure(value: JsonValue): UpstreamFailure | undefined {
  const isError = Array.isArray(value)
    ? value.some((item) => isJsonObject(item) && isJsonObject(item['error']))
    : isJsonObject(value) && Boolean(value['error']);
  return isError ? findCommonFailure(value) : undefined;
}

function toCredentialFailure(failure: UpstreamFailure): UpstreamFailure {
  return {
    ...failure,
    kind: 'credential-refused',
    message: 'the provider refused the credential of this gateway',
  };
}
