import { Link } from '@tanstack/react-router';
import type { LogLine } from '../api/log-line.ts';
import { Note } from '../parts/lists/data-table.tsx';
import { listEndCodes } from '../parts/endings.ts';
import { type Fact, FactList } from '../parts/fact-list.tsx';
import { Fold } from '../parts/fold.tsx';
import { countOf } from '../parts/format.ts';
import { Section } from '../parts/section.tsx';
import { useCan, useIsMember } from '../parts/use-can.ts';
import { useName } from '../parts/names/use-names.ts';
import { Usd } from '../parts/values.tsx';
import type { RequestsSearch } from './requests-search.ts';

/** Who sent a request, with what, and as what it is known elsewhere. */
export function Facts({ log }: { log: LogLine }) {
  const facts: Fact[] = [
    ['Request', log.id],
    ['Asked for', log.requested_model || 'not read'],
    ['Ended', `${listEndCodes(log)}, status ${log.status}${log.cached ? ', from the response cache' : ''}`],
    ['Endpoint', `${log.endpoint}${log.stream ? ', streamed' : ''}`],
    ['Key', <Owner log={log} of="key" />],
    ['Project', <Owner log={log} of="project" />],
    ['Organization', <Owner log={log} of="organization" />],
    ...(log.member_id === null ? [] : [['Member', <Owner log={log} of="member" />] as const]),
    ...listNamed(log),
    ['Client', <Client log={log} />],
    ...(log.cache_miss ? [['Prompt cache', <CacheMiss miss={log.cache_miss} />] as const] : []),
    ['Session', log.session_id === null ? 'none' : <SessionLink log={log} />],
  ];
  return (
    <Section title="Facts">
      <FactList of={facts} className="figures" />
    </Section>
  );
}

const OWNERS = {
  key: { part: 'keys' },
  project: { part: 'projects' },
  organization: { part: undefined },
  member: { part: 'members' },
} as const;

/** Its name, which leads to its page, and its id below. A session that may not read the name sees the id. */
function Owner({ log, of }: { log: LogLine; of: keyof typeof OWNERS }) {
  const { part } = OWNERS[of];
  const id = log[`${of}_id`];
  const canRead = useCan()('accounts', 'read');
  const name = useName(id ?? undefined);
  const hasPage = !useIsMember() || of === 'key';
  if (!canRead || id === null) return id;
  const place = { organization: log.organization_id, ...(part !== undefined && { part, open: id }) };
  return (
    <>
      {hasPage ? (
        <Link to="/access" search={place}>
          {name ?? id}
        </Link>
      ) : (
        (name ?? id)
      )}
      {/* Nothing moves as the name is read. */}
      <Note>{name === undefined ? '\u00a0' : id}</Note>
    </>
  );
}

/** What few requests have; each leads to the requests that have it, too. */
const listNamed = (log: LogLine): Fact[] => [
  ...listFitting('End user', 'end_user_id', log.end_user_id),
  ...listFitting('Agent', 'agent_id', log.agent_id),
  ...listFitting('Turn', 'turn_id', log.turn_id),
  ...(Object.keys(log.tags).length === 0 ? [] : [['Tags', <Tags of={log.tags} />] as const]),
  ...(log.upstream_id === null ? [] : [['At provider', log.upstream_id] as const]),
];

function listFitting(name: string, filter: keyof RequestsSearch, value: string | null): Fact[] {
  if (value === null || value === '') return [];
  return [
    [
      name,
      <Link to="/requests" search={{ [filter]: value }}>
        {value}
      </Link>,
    ],
  ];
}

function Tags({ of }: { of: LogLine['tags'] }) {
  return Object.entries(of).map(([tag, value], index) => (
    <span key={tag}>
      {index > 0 && ', '}
      <Link to="/requests" search={{ tag: `${tag}=${value}` }}>
        {tag}={value}
      </Link>
    </span>
  ));
}

/** Its name and version; the user agent that contains them on demand. */
function Client({ log }: { log: LogLine }) {
  const { client_name: name, client_version: version, user_agent: agent } = log;
  return (
    <>
      {name === null ? 'unknown' : `${name} ${version ?? ''}`}
      {agent !== null && <Fold title="User agent">{agent}</Fold>}
    </>
  );
}

function CacheMiss({ miss }: { miss: NonNullable<LogLine['cache_miss']> }) {
  return (
    <>
      missed: {miss.text}; {countOf(miss.tokens, 'token')}, <Usd exact={miss.cost} /> more
    </>
  );
}

function SessionLink({ log }: { log: LogLine }) {
  return (
    <Link
      to="/sessions/$id"
      params={{ id: log.session_id ?? '' }}
      search={{ organization_id: log.organization_id }}
    >
      {log.session_id}
    </Link>
  );
}
