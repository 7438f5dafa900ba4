import { filter, isTrue, reportOf, text } from '#fields';
import { toTenants } from '../rows/log-filter.ts';
import { sessionType } from '../session-type.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { formatSession } from './format-session.ts';

export const sessionReport = reportOf<{ sessions: Sessions }>()({
  path: 'sessions/{id}',
  summary: 'What a session of a client cost, by agent, sub-agent and turn; also while it runs.',
  scope: 'logs:read',
  isForMembers: true,
  record: 'session',
  filters: {
    organizationId: filter(text(), 'The organization, if several have a session of this id.', '--org <id>'),
    isShort: filter(isTrue, '', { flags: '--agents', help: 'only agents, without their turns' }),
  },
  answer: 'The tree of the session.',
  output: sessionType,
  read: ({ sessions, id, input }) => sessions.find(id, toTenants(input), input),
  command: {
    heading: 'Usage and cost',
    group: { name: 'sessions' },
    name: 'show',
    summary: 'Show what a session cost, by agent, sub-agent and turn; also while it runs.',
    examples: ['sessions show 5f6c…', 'sessions show 5f6c… --agents', 'sessions show 5f6c… --json'],
    target: { flags: '<id>', help: 'the session’s id, as listed' },
    empty: 'npx sluice sessions list shows the latest',
    format: (tree, { input: { isShort = false } }) => formatSession(tree, !isShort),
  },
});
