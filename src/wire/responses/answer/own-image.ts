import type { Block } from '#canonical';
import type { AnswerItem } from './answer-schema.ts';
import type { ResponsesItem } from '../item-schema.ts';
import type { Members } from '../../body/unchecked.ts';
import { normalizeMediaType } from '../../media/media-type.ts';

const BASE64_PNG = 'iVBORw0KGgo';
const NAMED: ReadonlySet<string> = new Set<keyof AnswerItem | '__proto__'>([
  'type',
  'status',
  'result',
  '__proto__',
]);

/** A generated image; a call without one (failed or still running) is kept as is. */
export function decodeOwnImage(item: Members<ResponsesItem>): Block {
  const { result, output_format: format } = item;
  if (typeof result !== 'string' || result === '')
    return { type: 'native', format: 'responses', value: item };
  const isNamed = typeof format === 'string' && format !== '';
  const mediaType = isNamed
    ? normalizeMediaType(`image/${format}`)
    : result.startsWith(BASE64_PNG)
      ? 'image/png'
      : undefined;
  const rest = Object.fromEntries(Object.entries(item).filter(([name]) => !NAMED.has(name)));
  return {
    type: 'media',
    kind: 'image',
    ...(mediaType !== undefined && { mediaType }),
    source: { base64: result },
    extra: { responses: rest },
  };
}
