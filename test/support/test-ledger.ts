import { type Caller, type Hold, type Settlement } from '#accounts';
import { type FreshAccounts, createRow } from './fresh-accounts.ts';

interface ReserveOptions {
  id?: string;
  leastAmount?: bigint;
  premium?: boolean;
  signal?: AbortSignal;
}

interface MeterRow {
  lim: string | null;
  used: string;
  held: string;
}

/** Short ways to move money in a test of the ledger. */
export class TestLedger {
  readonly #fresh: FreshAccounts;
  /** Of all of them: those of one database may not give a request the same id. */
  static #serial = 0;

  constructor(fresh: FreshAccounts) {
    this.#fresh = fresh;
  }

  nextId(): string {
    return `req_${(TestLedger.#serial += 1)}`;
  }

  /** A new key of a new organization. */
  async createCaller(limit?: bigint): Promise<Caller> {
    const { directory, identify } = this.#fresh.accounts;
    const organization = await directory.createOrganization('org');
    const project = await directory.createProject({ organizationId: organization.id, name: 'p' });
    const { secret } = await directory.createKey({
      projectId: project.id,
      label: 'k',
      ...(limit !== undefined && { limit }),
    });
    return identify(secret);
  }

  reserve(caller: Caller, amount: bigint, options: ReserveOptions = {}): Promise<Hold> {
    const { id: requestId = this.nextId(), leastAmount, premium = false, signal } = options;
    const row = createRow(caller, requestId);
    return this.#fresh.accounts.ledger.reserve(
      { requestId, caller, amount, premium, ...(leastAmount !== undefined && { leastAmount }), row },
      signal,
    );
  }

  settle(caller: Caller, requestId: string, customer: bigint): Promise<void> {
    return this.end(caller, requestId, { customer });
  }

  /** The same with what a premium week needs to know. */
  end(
    caller: Caller,
    requestId: string,
    ending: Pick<Settlement, 'customer' | 'unreached' | 'standard'>,
  ): Promise<void> {
    return this.#fresh.accounts.ledger.settle({
      requestId,
      provider: ending.customer / 2n,
      estimated: false,
      ...ending,
      row: createRow(caller, requestId),
    });
  }

  /** A request from its hold to its end. */
  async use(caller: Caller, customer: bigint, options: ReserveOptions = {}): Promise<void> {
    const { requestId } = await this.reserve(caller, customer, options);
    await this.settle(caller, requestId, customer);
  }

  async readMeter(kind: 'key' | 'credits', caller: Caller): Promise<MeterRow | undefined> {
    const { rows } = await this.#fresh.database.query<MeterRow>({
      text: 'SELECT lim::text, used::text, held::text FROM meter WHERE kind = $1 AND subject_id = $2',
      values: [kind, kind === 'key' ? caller.keyId : caller.organizationId],
    });
    return rows[0];
  }
}
