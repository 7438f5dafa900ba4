import { Group, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import { type AnswerOf, call } from '../api/client.ts';
import { type Organization, type RecordOf, useRecords } from '../access/access-queries.ts';
import { ConfirmAction } from '../access/forms/confirm-action.tsx';
import { type Column, DataTable } from '../parts/lists/data-table.tsx';
import { formatCount } from '../parts/format.ts';
import { Section } from '../parts/section.tsx';
import { Paged } from '../parts/lists/paged.tsx';
import { Read } from '../parts/state.tsx';
import { useCan } from '../parts/use-can.ts';
import { Moment, Usd, UsdOf } from '../parts/values.tsx';
import { WebhookDeliveries } from './webhook-deliveries.tsx';

type Token = RecordOf<'/admin/v1/session_tokens'>;
type Plan = AnswerOf<'/admin/v1/organizations/{id}/plan', 'get'>;
type EndUser = AnswerOf<'/admin/v1/usage', 'get'>['data'][number];

const END_USERS: readonly Column<EndUser>[] = [
  { head: 'Requests', kind: 'figure', cell: ({ requests }) => formatCount(requests) },
  { head: 'Spend', kind: 'figure', cell: ({ cost }) => <Usd exact={cost} /> },
];

const TOKENS: readonly Column<Token>[] = [
  { head: 'Token', cell: (token) => <TokenName of={token} /> },
  { head: 'End user', kind: 'name', cell: ({ user }) => user ?? '–' },
  { head: 'Ends', cell: ({ expires_at: end }) => <Moment iso={end} /> },
  { head: 'Used', cell: ({ usage }) => <Usd exact={usage} /> },
  { head: 'Limit', cell: ({ limit }) => <Usd exact={limit} /> },
];

interface CustomerProps {
  organization: Organization;
  since: string;
}

/** One organization: its plan, its end users and their tokens, and what was sent to its webhooks. */
export function Customer({ organization, since }: CustomerProps) {
  const can = useCan();
  const { id, name } = organization;
  return (
    <Stack gap="lg" component="section" aria-label={name}>
      <Group justify="space-between">
        <Title order={2} size="h3" className="name">
          {name}
        </Title>
        {can('accounts', 'read') && (
          <Link to="/access" search={{ organization: id }}>
            Keys, members and limits
          </Link>
        )}
      </Group>
      {can('money', 'read') && <PlanText organizationId={id} name={name} />}
      <EndUsers of={{ organization_id: id, since }} />
      {can('accounts', 'read') && <Tokens organizationId={id} canWrite={can('accounts', 'write')} />}
      {can('accounts', 'read') && <WebhookDeliveries organizationId={id} />}
    </Stack>
  );
}

function PlanText({ organizationId: id, name }: { organizationId: string; name: string }) {
  const plan = useQuery({
    queryKey: ['plan', id],
    queryFn: () => call('get', '/admin/v1/organizations/{id}/plan', { id }),
  });
  return (
    <Read query={plan} what="the plan">
      {(data) => <PlanUsage plan={data} name={name} />}
    </Read>
  );
}

function PlanUsage({ plan: data, name }: { plan: Plan; name: string }) {
  if (data.plan === 'none') return <Text>{name} has no plan.</Text>;
  const { credits_used: used = '0', credits_limit: most = '0', cycle_ends_at: end } = data;
  return (
    <Text>
      {name} has the plan {data.plan}: <UsdOf part={used} whole={most} /> are used
      {end !== undefined && (
        <>
          , until <Moment iso={end} />
        </>
      )}
      {data.overflow === true && '; credits pay for what is beyond'}.
    </Text>
  );
}

/** The requests whose end users are shown. */
interface Asked {
  organization_id: string;
  since: string;
}

function EndUsers({ of }: { of: Asked }) {
  const usage = useQuery({
    queryKey: ['usage', 'user', of],
    queryFn: () => call('get', '/admin/v1/usage', { query: { by: 'user', ...of } }),
  });
  return (
    <Read query={usage} what="end users">
      {({ data }) => <EndUserTable lines={data} of={of} />}
    </Read>
  );
}

function EndUserTable({ lines, of }: { lines: readonly EndUser[]; of: Asked }) {
  const name: Column<EndUser> = {
    head: 'End user',
    kind: 'name',
    cell: ({ other, group }) =>
      other ? (
        'all others'
      ) : (
        <Link to="/requests" search={{ ...of, end_user_id: group['user'] ?? '' }}>
          {group['user']}
        </Link>
      ),
  };
  const named = lines.filter(({ group, other }) => other || group['user'] !== '');
  return (
    <Section title="End users, last 30 days">
      {named.length === 0 ? (
        <Text>
          No request named an end user. Requests with a session token do, and those that name one in the
          member user.
        </Text>
      ) : (
        <DataTable
          label="End users"
          columns={[name, ...END_USERS]}
          rows={named}
          keyOf={({ other, group }) => (other ? 'other' : (group['user'] ?? ''))}
          miw={320}
        />
      )}
    </Section>
  );
}

interface TokensProps {
  organizationId: string;
  canWrite: boolean;
}

function Tokens({ organizationId, canWrite }: TokensProps) {
  const list = useRecords('/admin/v1/session_tokens', { organization_id: organizationId });
  return (
    <Section title="Valid session tokens">
      <Paged
        list={list}
        what="session tokens"
        empty={
          <Text>
            No session token is valid now. Your application creates one for an end user with POST
            /v1/session_tokens.
          </Text>
        }
      >
        {(tokens) => (
          <DataTable
            label="Session tokens"
            columns={canWrite ? [...TOKENS, ACTIONS] : TOKENS}
            rows={tokens}
            keyOf={({ id }) => id}
          />
        )}
      </Paged>
    </Section>
  );
}

/** A token, which leads to its requests for who may read them. */
function TokenName({ of: { id, masked } }: { of: Token }) {
  const canRead = useCan()('logs', 'read');
  if (!canRead) return masked;
  return (
    <Link to="/requests" search={{ session_token_id: id }}>
      {masked}
    </Link>
  );
}

const ACTIONS: Column<Token> = {
  head: 'Actions',
  cell: ({ id, masked }) => (
    <ConfirmAction
      name="Revoke"
      about={masked}
      explains="Its next request is refused."
      run={() => call('delete', '/admin/v1/session_tokens/{id}', { id })}
    />
  ),
};
