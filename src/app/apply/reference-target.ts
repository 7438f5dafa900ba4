import type { FileValues } from '#accounts';

/** What a text in a file can refer to. */
export interface ReferenceTarget {
  /** Absent before it is created. */
  id: string | undefined;
  name: string;
  /** What finds it before its name, such as an e-mail address. */
  identity: string | undefined;
}

/** The value that finds an entry before its name; undefined if it or its kind has none. */
export const readIdentity = (
  { identity }: { identity: string | undefined },
  values: FileValues,
): string | undefined => (identity === undefined ? undefined : (values[identity] as string | undefined));

/** Whether two identities are the same, in any case of letters. */
export const isSameText = (one: unknown, other: unknown): boolean =>
  typeof one === 'string' && typeof other === 'string' && one.toLowerCase() === other.toLowerCase();

export const findByIdentity = <Thing extends Omit<ReferenceTarget, 'id'>>(
  all: readonly Thing[],
  identity: string,
): Thing[] => all.filter((each) => isSameText(each.identity, identity));

/** Of several with the name, the only one that has nothing else to be found by. */
export function findByName<Thing extends Omit<ReferenceTarget, 'id'>>(
  all: readonly Thing[],
  name: string,
): Thing[] {
  const found = all.filter((each) => each.name === name);
  const plain = found.filter(({ identity }) => identity === undefined);
  return found.length > 1 && plain.length === 1 ? plain : found;
}

/** What a text refers to: by id, else by identity, else by name; several if it is ambiguous. */
export function findReferred<Thing extends ReferenceTarget>(all: readonly Thing[], text: string): Thing[] {
  const byId = all.filter(({ id }) => id === text);
  if (byId.length > 0) return byId;
  const byIdentity = findByIdentity(all, text);
  return byIdentity.length > 0 ? byIdentity : findByName(all, text);
}

/** How a file refers to it: by what is not particular to this installation, if that names no other. */
export function writeReference(all: readonly ReferenceTarget[], one: ReferenceTarget): string | undefined {
  return [one.identity, one.name, one.id].find((text) => {
    const found = text === undefined ? [] : findReferred(all, text);
    return found.length === 1 && found[0] === one;
  });
}
