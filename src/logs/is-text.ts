import { TEXT_ENDPOINTS } from '#canonical';

/** Of `…:generateContent` what is before the method. The rows of a mirror name it instead of an endpoint. */
const BEGINNINGS = [...Object.values(TEXT_ENDPOINTS).flat(), 'mirror/'].map((path) =>
  path.replace(/:.*/, ''),
);

/** The condition for rows of text generation, copies for mirrors and counts of tokens included. */
export const IS_TEXT = `endpoint ^@ ANY (ARRAY[${[...new Set(BEGINNINGS)].map((path) => `'${path}'`).join(', ')}])`;
