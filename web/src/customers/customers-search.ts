import { readTexts } from '../parts/read-texts.ts';

interface CustomersSearch {
  /** The organization that is looked at. */
  organization?: string;
}

export const readCustomersSearch = (search: Record<string, unknown>): CustomersSearch =>
  readTexts(search, 'organization');
