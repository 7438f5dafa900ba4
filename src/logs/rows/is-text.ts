import { TEXT_ENDPOINTS } from '#canonical';

/** Gemini's without the method. A copy for a mirror is `mirror/NAME`. */
const BEGINNINGS = [...Object.values(TEXT_ENDPOINTS).flat(), 'mirror/'].map((path) =>
  path.replace(/:.*/, ''),
);

/** The condition for rows of text generation, copies for mirrors and counts of tokens included. */
export const IS_TEXT = `endpoint ^@ ANY (ARRAY[${[...new Set(BEGINNINGS)].map((path) => `'${path}'`).join(', ')}])`;
