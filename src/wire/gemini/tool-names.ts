import type { NameRule } from '../tools/tool-names.ts';

/** Gemini accepts a letter or `_` first, then letters, digits and `_.:-`. */
export const GEMINI_NAMES: NameRule = {
  allowed: /^[A-Za-z_][\w.:-]*$/,
  clean: (name) => name.replace(/[^\w.:-]/g, '_').replace(/^(?![A-Za-z_])/, '_'),
};
