import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { type AnyResource, RESOURCES } from '#app';
import { GatewayError } from '#errors';

/** The commands that list ids, by what they list. */
const LISTS = new Map([['model', 'models'], ...RESOURCES.flatMap(findList)]);

function findList({ name, commands, operations }: AnyResource): [what: string, list: string][] {
  const list = commands.commands.find(({ operation }) => operation === 'list');
  if (!list) return [];
  const isAll = Object.values(operations['list']?.input ?? {}).some(({ cli }) => cli?.flags === '--all');
  const words = [list.group ?? commands.group, list.name, ...(isAll ? ['--all'] : [])];
  return [[name.replaceAll('_', ' '), words.join(' ')]];
}

const FILE_FAULTS: Readonly<Record<string, (path: string) => string>> = {
  ENOENT: (path) =>
    existsSync(dirname(path)) ? `there is no file ${path}` : `there is no folder ${dirname(path)}`,
  EACCES: (path) => `this user has no access to ${path}`,
  ENOTDIR: (path) => `${dirname(path)} is not a folder`,
};

const firstLine = (text = ''): string => text.split('\n', 1)[0] ?? '';

/** What is wrong with a file in words; other messages as they are. */
function describeFileFault(error: Error & { code?: unknown; path?: unknown }): string {
  const { code, path, message } = error;
  // Node does not name the folder that it could not read as a file.
  if (code === 'EISDIR') return `${typeof path === 'string' ? path : 'the path'} is a folder, not a file`;
  const describe = typeof code === 'string' ? FILE_FAULTS[code] : undefined;
  return describe && typeof path === 'string' ? describe(path) : message;
}

/** The message and, for an internal error, its detail. Messages about the database address callers of the API. */
export function describeFailure(error: unknown): string {
  if (error instanceof GatewayError) {
    const { detail, missing = '' } = error.facts;
    if (error.code === 'store_unavailable')
      return `error: the database is unavailable: ${firstLine(detail)} (see npx sluice doctor)`;
    const list = LISTS.get(missing);
    if (list !== undefined) return `error: ${error.message} (npx sluice ${list} shows what there is)`;
    return detail === undefined
      ? `error: ${error.message}`
      : `error: ${error.message} (${firstLine(detail)})`;
  }
  if (error instanceof Error) {
    return describeFileFault(error)
      .split('\n')
      .map((line) => `error: ${line}`)
      .join('\n');
  }
  return `error: ${String(error)}`;
}
