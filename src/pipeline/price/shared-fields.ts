import type { CanonicalRequest } from '#canonical';
import type { Mapping } from '#catalogue';
import { CLIENT_FACTS } from '#wire';

/** Whether fields that exist only in the caller's format reach a mapping. */
export function sharesFields({ format }: Mapping, { origin }: Pick<CanonicalRequest, 'origin'>): boolean {
  return format === origin.format || format === CLIENT_FACTS[origin.format].related;
}
