import type { CanonicalRequest, ClientFormatId, FormatId } from '#canonical';
import type { Mapping } from '#catalogue';

/** Formats that understand each other's members. */
const KIN: Readonly<Record<ClientFormatId, FormatId | undefined>> = {
  chat: 'responses',
  messages: undefined,
  responses: 'chat',
  gemini: undefined,
};

/** Whether members that only the caller's format has reach a mapping. */
export function understands({ format }: Mapping, { origin }: Pick<CanonicalRequest, 'origin'>): boolean {
  return format === origin.format || format === KIN[origin.format];
}
