import { GatewayError } from '#errors';

/** The commands that list ids. */
const LISTS: Readonly<Record<string, string>> = {
  organization: 'orgs list',
  project: 'projects list',
  key: 'keys list',
  member: 'members list',
  rule: 'rules list',
  'session token': 'session-tokens list --all',
  'admin key': 'admin-keys list',
  'provider key': 'provider-keys list',
  'custom provider': 'custom-providers list',
  'custom model': 'custom-models list',
};

const FILE_FAULTS: Readonly<Record<string, (path: string) => string>> = {
  ENOENT: (path) => `there is no file ${path}`,
  EACCES: (path) => `this user has no access to ${path}`,
};

/** What is wrong with a file in words; other messages as they are. */
function describeFileFault(error: Error & { code?: unknown; path?: unknown }): string {
  const { code, path, message } = error;
  const describe = typeof code === 'string' ? FILE_FAULTS[code] : undefined;
  return describe && typeof path === 'string' ? describe(path) : message;
}

/** The message and, for an internal error, its detail. */
export function describeFailure(error: unknown): string {
  if (error instanceof GatewayError) {
    const { detail, missing = '' } = error.facts;
    const list = LISTS[missing];
    if (list !== undefined) return `error: ${error.message} (npx sluice ${list} shows what there is)`;
    return detail === undefined
      ? `error: ${error.message}`
      : `error: ${error.message} (${detail.split('\n', 1)[0] ?? ''})`;
  }
  if (error instanceof Error) {
    return describeFileFault(error)
      .split('\n')
      .map((line) => `error: ${line}`)
      .join('\n');
  }
  return `error: ${String(error)}`;
}
