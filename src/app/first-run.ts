import type { Directory } from '#accounts';

/** The keys made on the very first start; their texts are shown once. */
export interface FirstRun {
  apiKey: string;
  adminKey: string;
}

/** The account a single-user installation works with. */
export interface DefaultAccount {
  organizationId: string;
  projectId: string;
  firstRun?: FirstRun;
}

/** Finds the default account, or makes it with its first keys in an empty database. */
export async function prepareFirstRun(directory: Directory): Promise<DefaultAccount> {
  const account = (await directory.findDefault()) ?? (await createDefault(directory));
  // No key can be deleted, so a project without one is what a first start left that did not get to its end.
  const keys = await directory.listKeys({ projectId: account.projectId });
  if (keys.length > 0) return account;
  const admin = await directory.createAdminKey({ label: 'first admin key' });
  const key = await directory.createKey({ projectId: account.projectId, label: 'first key' });
  return { ...account, firstRun: { apiKey: key.secret, adminKey: admin.secret } };
}

async function createDefault(directory: Directory): Promise<DefaultAccount> {
  const [found] = await directory.listOrganizations();
  const organization = found ?? (await directory.createOrganization('Default'));
  const project = await directory.createProject({ organizationId: organization.id, name: 'Default' });
  return { organizationId: organization.id, projectId: project.id };
}
