import type { Accounts, Directory } from '#accounts';
import type { Clock, PicoUsd } from '#base';

/** Whose requests replays are. */
interface ReplayAccount {
  organizationId: string;
  projectId: string;
}

/** A key for one replay, deleted at its end. */
interface ReplayKey {
  id: string;
  secret: string;
}

const ORGANIZATION = 'Sluice replays';
const PROJECT = 'Replays';
const PAGE = 1_000;
/** If the process is killed, its key ends by itself. */
const LONGEST_MS = 24 * 3_600_000;

/** The operator's organization for replays, by its name; undefined before the first one. */
export async function findReplayOrganization(directory: Directory): Promise<string | undefined> {
  let after: string | undefined;
  for (;;) {
    const page = await directory.listOrganizations({ limit: PAGE, ...(after !== undefined && { after }) });
    const found = page.find(({ name }) => name === ORGANIZATION);
    after = page.at(-1)?.id;
    if (found || page.length < PAGE) return found?.id;
  }
}

/** Finds or creates it. Safe when several replays start at once. */
function prepareAccount(accounts: Accounts): Promise<ReplayAccount> {
  return accounts.begin(async (directory) => {
    const organizationId =
      (await findReplayOrganization(directory)) ?? (await directory.createOrganization(ORGANIZATION)).id;
    const [found] = await directory.listProjects({ organizationId, limit: 1 });
    const project = found ?? (await directory.createProject({ organizationId, name: PROJECT }));
    return { organizationId, projectId: project.id };
  });
}

interface KeyTerms {
  label: string;
  budget: PicoUsd;
  clock: Clock;
}

/** A key that can spend the budget, and no more. */
export async function createReplayKey(
  accounts: Accounts,
  { label, budget, clock }: KeyTerms,
): Promise<ReplayKey> {
  const { projectId } = await prepareAccount(accounts);
  const expiresAt = clock.now() + LONGEST_MS;
  const { key, secret } = await accounts.directory.createKey({ projectId, label, limit: budget, expiresAt });
  return { id: key.id, secret };
}
