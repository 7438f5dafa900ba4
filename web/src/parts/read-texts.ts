/** These members of an address, without those that are empty. A text may look like a number there. */
export function readTexts<Name extends string>(
  search: Record<string, unknown>,
  ...names: readonly Name[]
): { [Each in Name]?: string } {
  const read: { [Each in Name]?: string } = {};
  for (const name of names) {
    const value = search[name];
    if ((typeof value === 'string' || typeof value === 'number') && value !== '') read[name] = String(value);
  }
  return read;
}
