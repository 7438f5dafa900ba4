/**
 * A bounded queue of several tenants: each tenant's items in the order of arrival, the tenants in turn. If it is full, an
 * item of the tenant with the fewest displaces the last one of the tenant with the most.
 */
export class FairQueue<T> {
  /** In the order of their turns. */
  readonly #lines = new Map<string, T[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Returns the item that does not fit: this one, or the one it displaces. */
  add(tenant: string, item: T, most: number): T | undefined {
    // Beyond a bound that was lowered, making room for one is not enough.
    const displaced = this.#size === most ? this.#displace(tenant) : undefined;
    if (this.#size >= most) return item;
    const line = this.#lines.get(tenant);
    if (line) line.push(item);
    else this.#lines.set(tenant, [item]);
    this.#size += 1;
    return displaced;
  }

  /** The first item of each tenant, in the order of their turns. */
  get heads(): T[] {
    return [...this.#lines.values()].flatMap((line) => line.slice(0, 1));
  }

  /** Removes an item that has had its turn; its tenant is last in the next round. */
  take(tenant: string, item: T): void {
    this.remove(tenant, item);
    const rest = this.#lines.get(tenant);
    if (!rest) return;
    this.#lines.delete(tenant);
    this.#lines.set(tenant, rest);
  }

  /** Removes an item that waits no longer. */
  remove(tenant: string, item: T): void {
    const line = this.#lines.get(tenant);
    if (!line?.includes(item)) return;
    line.splice(line.indexOf(item), 1);
    if (line.length === 0) this.#lines.delete(tenant);
    this.#size -= 1;
  }

  #displace(tenant: string): T | undefined {
    let [longestTenant, longest]: [string, T[]] = ['', []];
    for (const [name, line] of this.#lines)
      if (line.length > longest.length) [longestTenant, longest] = [name, line];
    const own = this.#lines.get(tenant)?.length ?? 0;
    const last = longest.at(-1);
    // Otherwise a request would displace an earlier one of a tenant that has no more waiting than its own.
    if (last === undefined || longest.length < own + 2) return undefined;
    this.remove(longestTenant, last);
    return last;
  }
}
