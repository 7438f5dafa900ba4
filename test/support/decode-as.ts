import type { JsonObject } from '#base';
import type { CanonicalRequest, ClientFormatId } from '#canonical';
import { getInboundFormat } from '#wire';

/** A conversation of one turn, in the formats of messages. */
export const SAID = [{ role: 'user', content: 'Hello.' }];
const BASES: Record<ClientFormatId, JsonObject> = {
  messages: { model: 'm', max_tokens: 1024, messages: SAID },
  chat: { model: 'm', messages: SAID },
  responses: { model: 'm', input: 'Hello.' },
  gemini: { model: 'm', contents: [{ parts: [{ text: 'Hello.' }] }] },
};

/** A request decoded from a client's format, with these fields. */
export function decodeAs(
  format: ClientFormatId,
  fields: JsonObject = {},
  headers: Record<string, string> = {},
): CanonicalRequest {
  return getInboundFormat(format).decodeRequest({ ...BASES[format], ...fields }, headers);
}
