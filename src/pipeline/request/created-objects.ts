import type { Account, CreatedObject } from '#objects';

/** More than any real answer creates; the rest is not recorded. */
const MOST_OBJECTS = 1_000;
/** Whether an object may have this id. */
export function isObjectId(text: string): boolean {
  return ID.test(text);
}

const ID = /^[\x21-\x7e]{1,256}$/;

/** The objects that the answers of one trip created in accounts at providers. */
export class CreatedObjects {
  readonly #byAccount = new Map<string, { account: Account; created: Map<string, CreatedObject> }>();
  #count = 0;

  get accounts(): { account: Account; created: CreatedObject[] }[] {
    return [...this.#byAccount.values()].map(({ account, created }) => ({
      account,
      created: [...created.values()],
    }));
  }

  add(object: CreatedObject, account: Account): void {
    if (!isObjectId(object.id) || this.#count >= MOST_OBJECTS) return;
    const key = `${account.providerId} ${account.credentialId ?? ''}`;
    const known = this.#byAccount.get(key) ?? { account, created: new Map<string, CreatedObject>() };
    this.#byAccount.set(key, known);
    if (!known.created.has(object.id)) this.#count += 1;
    known.created.set(object.id, object);
  }
}
