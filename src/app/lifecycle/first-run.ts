import type { Accounts, Directory } from '#accounts';

/** The keys created at the first start, whose text is shown once. */
export interface FirstRun {
  apiKey: string;
  adminKey: string;
}

/** The account of a single-user installation. */
interface DefaultAccount {
  organizationId: string;
  projectId: string;
  firstRun?: FirstRun;
}

/** Finds or creates the default account. Safe when several processes start at once. */
export function prepareFirstRun(accounts: Accounts): Promise<DefaultAccount> {
  return accounts.begin(async (directory) => {
    const account = await findAccount(directory);
    if (await hasKeys(directory, account)) return account;
    const admin = await directory.createAdminKey({ label: 'first admin key' });
    const key = await directory.createKey({ projectId: account.projectId, label: 'first key' });
    return { ...account, firstRun: { apiKey: key.secret, adminKey: admin.secret } };
  });
}

/** API keys can be deleted, admin keys cannot: after deleting all API keys, no new admin key is created. */
async function hasKeys(directory: Directory, { projectId }: DefaultAccount): Promise<boolean> {
  const admins = await directory.listAdminKeys({ limit: 1 });
  return admins.length > 0 || (await directory.listKeys({ projectId, limit: 1 })).length > 0;
}

async function findAccount(directory: Directory): Promise<DefaultAccount> {
  const { organizationId = (await directory.createOrganization('Default')).id, projectId } =
    (await directory.findDefault()) ?? {};
  if (projectId !== undefined) return { organizationId, projectId };
  const project = await directory.createProject({ organizationId, name: 'Default' });
  return { organizationId, projectId: project.id };
}
