import type { Account, MadeObject } from '#objects';

/** More than any answer leaves; what an upstream tells beyond is not kept. */
const MOST_OBJECTS = 1_000;
/** Whether a provider may name an object so. */
export function isObjectId(text: string): boolean {
  return ID.test(text);
}

const ID = /^[\x21-\x7e]{1,256}$/;

/** What the answers of one trip have left in accounts at providers. */
export class MadeObjects {
  readonly #byAccount = new Map<string, { account: Account; made: Map<string, MadeObject> }>();
  #count = 0;

  get accounts(): { account: Account; made: MadeObject[] }[] {
    return [...this.#byAccount.values()].map(({ account, made }) => ({ account, made: [...made.values()] }));
  }

  add(object: MadeObject, account: Account): void {
    if (!isObjectId(object.id) || this.#count >= MOST_OBJECTS) return;
    const key = `${account.providerId} ${account.credentialId ?? ''}`;
    const known = this.#byAccount.get(key) ?? { account, made: new Map<string, MadeObject>() };
    this.#byAccount.set(key, known);
    if (!known.made.has(object.id)) this.#count += 1;
    known.made.set(object.id, object);
  }
}
