import { randomBytes } from 'node:crypto';
import { type Accounts, type AccountsOptions, type Caller, type OutcomeRow, createAccounts } from '#accounts';
import { systemClock } from '#base';
import { createUsage } from '#canonical';
import type { LogRow } from '#logs';
import type { Database } from '#storage';
import { type FreshDatabase, openFreshDatabase } from './fresh-database.ts';

/** An organization with one key on a database of its own. */
export interface FreshAccounts extends AsyncDisposable {
  accounts: Accounts;
  database: Database;
  fresh: FreshDatabase;
  secret: string;
  caller: Caller;
  /** Another process on the same database. */
  join(options?: Partial<AccountsOptions>): Promise<Accounts>;
}

/** `limit`: that of the key. */
export type FreshOptions = Partial<AccountsOptions> & { limit?: bigint };

const PEPPER = randomBytes(32);

export async function openFreshAccounts(options: FreshOptions = {}): Promise<FreshAccounts> {
  const fresh = await openFreshDatabase();
  const opened: Accounts[] = [];
  const { limit, ...rest } = options;
  const join: FreshAccounts['join'] = async (more = {}) => {
    const database = opened.length === 0 ? fresh.database : await fresh.connect();
    const accounts = createAccounts({
      database,
      clock: systemClock,
      secret: PEPPER,
      exclusive: false,
      admissionWaitMs: 300,
      ...rest,
      ...more,
    });
    await accounts.start();
    opened.push(accounts);
    return accounts;
  };
  const accounts = await join();
  const organization = await accounts.directory.createOrganization('Acme');
  const project = await accounts.directory.createProject({
    organizationId: organization.id,
    name: 'default',
  });
  const { secret } = await accounts.directory.createKey({
    projectId: project.id,
    label: 'test key',
    ...(limit !== undefined && { limit }),
  });
  const caller = await accounts.identify(secret);
  return {
    accounts,
    database: fresh.database,
    fresh,
    secret,
    caller,
    join,
    [Symbol.asyncDispose]: async () => {
      for (const one of opened) await one.close();
      await fresh[Symbol.asyncDispose]();
    },
  };
}

/** A complete log row of a caller. */
export function createRow(
  caller: Caller,
  requestId: string,
  more: Partial<LogRow> = {},
): LogRow & Pick<OutcomeRow, 'memberId' | 'sessionTokenId'> {
  const { memberId, sessionTokenId } = caller;
  return {
    requestId,
    organizationId: caller.organizationId,
    projectId: caller.projectId,
    keyId: caller.keyId,
    ...(memberId !== undefined && { memberId }),
    ...(sessionTokenId !== undefined && { sessionTokenId }),
    startedAt: Date.now(),
    endpoint: '/v1/messages',
    format: 'messages',
    stream: true,
    requestedModel: 'echo',
    finishReason: 'completed',
    status: 200,
    cached: false,
    estimated: false,
    usage: createUsage({ inputUncached: 10, outputText: 5 }),
    customer: '0',
    provider: '0',
    attempts: [],
    durationMs: 12.5,
    ...more,
  };
}
