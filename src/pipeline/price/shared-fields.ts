import type { CanonicalRequest, ClientFormatId, FormatId } from '#canonical';
import type { Mapping } from '#catalogue';

/** Formats that share each other's fields. */
const RELATED_FORMATS: Readonly<Record<ClientFormatId, FormatId | undefined>> = {
  chat: 'responses',
  messages: undefined,
  responses: 'chat',
  gemini: undefined,
};

/** Whether fields that exist only in the caller's format reach a mapping. */
export function sharesFields({ format }: Mapping, { origin }: Pick<CanonicalRequest, 'origin'>): boolean {
  return format === origin.format || format === RELATED_FORMATS[origin.format];
}
