import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type AnswerOf, call } from '../api/client.ts';
import { Section } from '../parts/section.tsx';
import { Read } from '../parts/state.tsx';
import { Moment, Usd, UsdOf } from '../parts/values.tsx';
import { useMakeNew } from './forms/make-new.tsx';
import { PLAN_FIELDS, creditFields } from './fields/money-fields.ts';
import { FactList } from '../parts/fact-list.tsx';
import type { Scope } from './scope.ts';
import { SettingsSection } from './forms/settings-section.tsx';

type Plan = AnswerOf<'/admin/v1/organizations/{id}/plan', 'get'>;

const PATH = '/admin/v1/organizations/{id}/plan';

/** What the organization may spend: credits and a plan. */
export function Money({ organization, canPay }: Scope) {
  const { id } = organization;
  const plan = useQuery({ queryKey: ['plan', id], queryFn: () => call('get', PATH, { id }) });
  return (
    <Read query={plan} what="the plan">
      {(data) => <Paid plan={data} organization={organization} canPay={canPay} />}
    </Read>
  );
}

function Paid({ plan: data, organization, canPay }: Pick<Scope, 'organization' | 'canPay'> & { plan: Plan }) {
  const { id } = organization;
  return (
    <Stack gap="lg">
      <Credits organization={organization} canPay={canPay} />
      <SettingsSection
        title="Plan"
        fields={PLAN_FIELDS}
        record={{ overflow: false, ...data }}
        path={PATH}
        id={id}
        canWrite={canPay}
      />
      {data.plan !== 'none' && <PlanUsage plan={data} />}
    </Stack>
  );
}

function Credits({ organization: { id, balance, usage }, canPay }: Pick<Scope, 'organization' | 'canPay'>) {
  const added = useMakeNew({
    name: 'Add credits',
    fields: creditFields(balance),
    id,
    path: '/admin/v1/organizations/{id}/credits',
    verb: 'Add credits now',
  });
  return (
    <Section title="Credits" action={canPay && added.button}>
      {added.form}
      <FactList
        of={[
          ['Balance', balance === null ? 'not metered: only limits of keys apply' : <Usd exact={balance} />],
          ['Total spent', <Usd exact={usage} />],
        ]}
      />
    </Section>
  );
}

function PlanUsage({ plan }: { plan: Plan }) {
  const { credits_used: used = '0', credits_limit: most = '0', cycle_ends_at: end } = plan;
  const { premium_used: premium = '0', premium_weekly_limit: weekly = '0' } = plan;
  return (
    <FactList
      of={[
        ['Used', <UsdOf part={used} whole={most} />],
        ['Premium, week', <UsdOf part={premium} whole={weekly} />],
        ...(end === undefined ? [] : [['Cycle ends', <Moment iso={end} />] as const]),
      ]}
    />
  );
}
