import type { JsonObject } from '#base';
import type { CanonicalRequest, ClientFormatId } from '#canonical';
import { getInboundFormat } from '#wire';
import { createQuestion } from './ask-as.ts';

/** A conversation of one turn, in the formats of messages. */
export const SAID = [{ role: 'user', content: 'Hello.' }];

/** A request decoded from a client's format, with these fields. */
export function decodeAs(
  format: ClientFormatId,
  fields: JsonObject = {},
  headers: Record<string, string> = {},
): CanonicalRequest {
  return getInboundFormat(format).decodeRequest({ ...createQuestion(format), ...fields }, headers);
}
