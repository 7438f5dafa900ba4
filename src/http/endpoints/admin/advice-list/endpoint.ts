import type { ProviderState } from '../../../operations.ts';
import { type Availability, createUsableFilter } from '#accounts';
import { Type } from 'typebox';
import { ADVICE_KINDS, type AdviceKind, askAdvice, encodeAdvice } from '#advice';
import { toTenants } from '#logs';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { findTenant } from '../../../admin/find-tenant.ts';
import { orNull, usdShape } from '../../../admin/fields.ts';
import { refuse } from '../../../admin/read-query.ts';
import { describeFilters, describeTime, readFilterSince } from '../../../admin/request-filter.ts';

const USUAL_SPAN_MS = 7 * 86_400_000;

export const listAdviceEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/advice',
  summary: 'List what would have cost less: loops, repeated reads, unused tools, large prompts and prices.',
  scope: 'logs:read',
  query: {
    ...describeFilters('organization_id', 'project_id'),
    kind: `Only findings of this kind: ${ADVICE_KINDS.join(', ')}.`,
    ...describeTime('the last seven days'),
  },
  answer: {
    description: 'The findings, what would have saved most first. They overlap.',
    schema: Type.Object({
      object: Type.Literal('list'),
      data: Type.Array(
        Type.Object(
          {
            object: Type.Literal('finding'),
            kind: Type.Enum([...ADVICE_KINDS]),
            organization_id: Type.Optional(Type.String()),
            project_id: Type.Optional(Type.String()),
            session_id: Type.Optional(orNull(Type.String())),
            model_id: Type.Optional(Type.String()),
            provider_id: Type.Optional(Type.String()),
            text: Type.String({ description: 'The finding as a sentence.' }),
            requests: Type.Integer(),
            saved: Type.Unsafe<string>({ ...usdShape, description: 'What would have been saved.' }),
            request_ids: Type.Array(Type.String(), { description: 'Some of the requests that show it.' }),
          },
          { description: 'With further members of its kind.' },
        ),
      ),
    }),
  },
  needs: ['accounts', 'bills', 'catalogue', 'clock', 'operations', 'prompts'],
  handle: async ({ caller, query }, ports) => {
    const { accounts, bills, clock, operations, prompts } = ports;
    const tenant = findTenant(caller, query);
    if (!tenant) return encodeAdvice([]);
    const now = clock.now();
    const { kind, project_id: projectId } = query;
    const catalogue = ports.catalogue();
    const availability = { catalogue, ...listAvailability(await operations.providers()) };
    const canUse = await createUsableFilter(accounts.directory, availability, { ...tenant, projectId });
    const findings = await askAdvice(
      { bills, prompts, catalogue, now, canUse },
      {
        filter: readFilterSince(query, now - USUAL_SPAN_MS),
        tenants: toTenants(tenant),
        ...(kind !== undefined && { kinds: [readKind(kind)] }),
      },
    );
    return encodeAdvice(findings);
  },
});

function readKind(text: string): AdviceKind {
  const kind = ADVICE_KINDS.find((one) => one === text);
  if (!kind) throw refuse('kind', `must be one of ${ADVICE_KINDS.join(', ')}`);
  return kind;
}

function listAvailability(providers: readonly ProviderState[]): Omit<Availability, 'catalogue'> {
  return {
    callable: new Set(providers.filter(({ live }) => live).map(({ id }) => id)),
    healths: providers.flatMap(({ id, mappings }) =>
      mappings.map(({ model, state }) => ({ providerId: id, model, isHealthy: state === 'healthy' })),
    ),
  };
}
