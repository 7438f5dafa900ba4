import type { ByokTerms } from '../byok/byok.ts';
import { findUnknownRegions, findUnmatchedNames } from './find-unmatched-names.ts';

/** What names are looked up in. */
export interface NamePorts {
  byokTerms(): ByokTerms | Promise<ByokTerms>;
}

/**
 * Notes about names in rules that match nothing, and may be typing errors. The rules are stored in any case, so an invalid
 * configuration is left for other commands to report.
 */
export async function noteUnmatchedNames(
  { byokTerms }: NamePorts,
  rules: readonly { type: string; values: readonly string[] }[],
): Promise<string[]> {
  const { catalogue } = await Promise.resolve(byokTerms()).catch(() => ({ catalogue: undefined }));
  if (!catalogue) return [];
  const notes = rules.flatMap((rule) => {
    const { known, unknown } = findUnknownRegions(catalogue, rule);
    return [
      ...findUnmatchedNames(catalogue, rule).map(
        (name) => `note: nothing in this configuration is named ${name}`,
      ),
      ...unknown.map(
        (region) =>
          `note: nothing in this configuration is known to be processed within ${region}; known are ${known.join(', ')}`,
      ),
    ];
  });
  return [...new Set(notes)];
}
