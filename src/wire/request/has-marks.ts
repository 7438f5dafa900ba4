import type { JsonValue } from '#base';
import type { CanonicalRequest } from '#canonical';
import { isPresent } from '../body/read-field.ts';

const MARKS = ['cache_control', 'prompt_cache_breakpoint'];
/** `messages.0.content.0.content.0.cache_control`: no mark is deeper. */
const MOST_DEPTH = 7;

/** Whether a caller has set cache marks of any format, known or not. */
export function hasCacheMarks({ origin }: Pick<CanonicalRequest, 'origin'>): boolean {
  return holdsMark(origin.body, MOST_DEPTH);
}

function holdsMark(value: JsonValue | undefined, depth: number): boolean {
  if (typeof value !== 'object' || value === null || depth === 0) return false;
  if (Array.isArray(value)) return value.some((item) => holdsMark(item, depth - 1));
  if (MARKS.some((name) => isPresent(value[name]))) return true;
  for (const name in value) if (holdsMark(value[name], depth - 1)) return true;
  return false;
}
