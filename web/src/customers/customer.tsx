import { Group, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type AnswerOf, call } from '../api/client.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { formatCount } from '../parts/format.ts';
import { Section } from '../parts/section.tsx';
import { Read, Refusal } from '../parts/state.tsx';
import { useCan } from '../parts/use-can.ts';
import { Moment, Usd } from '../parts/values.tsx';

type Organization = AnswerOf<'/admin/v1/organizations', 'get'>['data'][number];
type Token = AnswerOf<'/admin/v1/session_tokens', 'get'>['data'][number];
type Plan = AnswerOf<'/admin/v1/organizations/{id}/plan', 'get'>;
type EndUser = AnswerOf<'/admin/v1/usage', 'get'>['data'][number];

const END_USERS: readonly Column<EndUser>[] = [
  { head: 'End user', kind: 'name', cell: ({ other, group }) => (other ? 'all others' : group['user']) },
  { head: 'Requests', kind: 'figure', cell: ({ requests }) => formatCount(requests) },
  { head: 'Spend', kind: 'figure', cell: ({ cost }) => <Usd exact={cost} /> },
];

const TOKENS: readonly Column<Token>[] = [
  { head: 'Token', cell: ({ masked }) => masked },
  { head: 'End user', kind: 'name', cell: ({ user }) => user ?? '–' },
  { head: 'Ends', cell: ({ expires_at: end }) => <Moment iso={end} /> },
  { head: 'Used', cell: ({ usage }) => <Usd exact={usage} /> },
  { head: 'Limit', cell: ({ limit }) => <Usd exact={limit} /> },
];

interface CustomerProps {
  organization: Organization;
  since: string;
}

/** One organization: its plan, its end users and their tokens. */
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
      <EndUsers organizationId={id} since={since} />
      {can('accounts', 'read') && <Tokens organizationId={id} canWrite={can('accounts', 'write')} />}
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
      {name} has the plan {data.plan}: <Usd exact={used} /> of <Usd exact={most} /> are used
      {end !== undefined && (
        <>
          , until <Moment iso={end} />
        </>
      )}
      {data.overflow === true && '; credits pay for what is beyond'}.
    </Text>
  );
}

function EndUsers({ organizationId, since }: { organizationId: string; since: string }) {
  const usage = useQuery({
    queryKey: ['usage', 'user', organizationId, since],
    queryFn: () =>
      call('get', '/admin/v1/usage', { query: { by: 'user', organization_id: organizationId, since } }),
  });
  return (
    <Read query={usage} what="end users">
      {({ data }) => <EndUserTable lines={data} />}
    </Read>
  );
}

function EndUserTable({ lines }: { lines: readonly EndUser[] }) {
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
          columns={END_USERS}
          rows={named}
          keyOf={({ other, group }) => (other ? 'other' : (group['user'] ?? ''))}
          miw={320}
        />
      )}
    </Section>
  );
}

const tokensQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ['session-tokens', organizationId],
    queryFn: () =>
      call('get', '/admin/v1/session_tokens', { query: { organization_id: organizationId, limit: '100' } }),
  });

function Tokens({ organizationId, canWrite }: { organizationId: string; canWrite: boolean }) {
  return (
    <Read query={useQuery(tokensQuery(organizationId))} what="session tokens">
      {({ data }) => <TokenTable tokens={data} organizationId={organizationId} canWrite={canWrite} />}
    </Read>
  );
}

interface TokenTableProps {
  tokens: readonly Token[];
  organizationId: string;
  canWrite: boolean;
}

function TokenTable({ tokens, organizationId, canWrite }: TokenTableProps) {
  const actions: Column<Token> = {
    head: 'Actions',
    cell: (token) => <Revoke token={token} organizationId={organizationId} />,
  };
  return (
    <Section title="Valid session tokens">
      {tokens.length === 0 ? (
        <Text>
          No session token is valid now. Your application creates one for an end user with POST
          /v1/session_tokens.
        </Text>
      ) : (
        <DataTable
          label="Session tokens"
          columns={canWrite ? [...TOKENS, actions] : TOKENS}
          rows={tokens}
          keyOf={({ id }) => id}
        />
      )}
    </Section>
  );
}

/** Revokes a token; a refusal is shown beside the button. */
function Revoke({ token: { id, masked }, organizationId }: { token: Token; organizationId: string }) {
  const client = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call('delete', '/admin/v1/session_tokens/{id}', { id }),
    onSuccess: () => client.invalidateQueries({ queryKey: tokensQuery(organizationId).queryKey }),
  });
  return (
    <>
      <ConfirmButton
        name="Revoke"
        about={masked}
        explains="Its next request is refused."
        isBusy={isPending}
        onConfirm={mutate}
      />
      {error && <Refusal error={error} />}
    </>
  );
}
