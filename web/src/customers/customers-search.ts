interface CustomersSearch {
  /** The organization that is looked at. */
  organization?: string;
}

export function readCustomersSearch({ organization }: Record<string, unknown>): CustomersSearch {
  return typeof organization === 'string' && organization !== '' ? { organization } : {};
}
