import type { TSchema } from 'typebox';
import type { ClientFormatId } from '#canonical';
import { CLIENT_FACTS } from '#wire';

const MEANINGS: Record<number, string> = {
  400: 'A malformed request; the message names the path.',
  401: 'No, an unknown or a disabled key.',
  402: 'A limit or the credits are exhausted; the message says which.',
  403: 'Not allowed to this credential.',
  404: 'No such model or address.',
  408: 'The body did not arrive in time.',
  409: 'The provider refused the request as a conflict; its message is passed on.',
  413: 'The body is too large.',
  415: 'Not of the declared types, or compressed.',
  422: 'The provider refused the request as unprocessable; its message is passed on.',
  429: 'Too many requests; see `retry-after`.',
  500: 'A fault of the gateway.',
  502: 'The provider failed.',
  503: 'The store or the provider is not available; see `retry-after`.',
  504: 'The provider did not answer in time.',
  529: 'The provider is overloaded.',
};

/** The error responses of an endpoint, in the format of its clients. */
export function describeRefusals(
  format: ClientFormatId,
  statuses: readonly number[],
): Record<number, { description: string; schema: TSchema }> {
  const schema = CLIENT_FACTS[format].errorSchema;
  return Object.fromEntries(
    statuses.map((status) => [status, { description: MEANINGS[status] ?? 'An error.', schema }]),
  );
}
