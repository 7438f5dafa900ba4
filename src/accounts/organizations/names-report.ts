import {
  filter,
  flag,
  objectOf,
  outputText,
  parsed,
  reportOf,
  requiredFilter,
  text,
  wholeList,
} from '#fields';
import type { NameStore, RecordName } from './names.ts';

const MOST = 100;

const recordName = objectOf<RecordName>()({
  id: outputText(),
  name: outputText(),
  removed: flag('', 'Whether it was removed or deleted.'),
});

export const namesReport = reportOf<{ directory: Pick<NameStore, 'listNames'> }>()({
  path: 'names',
  summary: 'List the names of keys, projects, members and organizations by their ids, also of removed ones.',
  scope: 'accounts:read',
  isForMembers: true,
  filters: {
    ids: requiredFilter(
      parsed(readIds, `1 to ${MOST} ids, separated by commas`),
      `1 to ${MOST} ids, separated by commas. Those that do not exist are left out.`,
    ),
    organizationId: filter(text(), 'Only of this organization.'),
  },
  answer: 'The names.',
  output: wholeList(recordName),
  read: ({ directory, input }) => directory.listNames(input),
  findNothing: () => [],
});

function readIds(text: string): string[] | undefined {
  const ids = text.split(',').filter((id) => id !== '');
  return ids.length > 0 && ids.length <= MOST ? ids : undefined;
}
