import { readTexts } from '../parts/read-texts.ts';

export const PARTS = ['state', 'providers', 'exports', 'alerts', 'settings', 'ledger', 'audit'] as const;
export type Part = (typeof PARTS)[number];

const TEXTS = ['actor', 'action', 'subject_id', 'find'] as const;

type OperationsSearch = { [Name in (typeof TEXTS)[number]]?: string } & {
  part?: Part;
  /** Also providers without a key, and settings with default values. */
  all?: boolean;
};

export function readOperationsSearch(search: Record<string, unknown>): OperationsSearch {
  const part = PARTS.find((name) => name === search['part']);
  return {
    ...(part && { part }),
    ...(search['all'] === true && { all: true }),
    ...readTexts(search, ...TEXTS),
  };
}
