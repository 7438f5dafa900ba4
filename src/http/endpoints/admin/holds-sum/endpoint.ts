import { Type } from 'typebox';
import { formatUsd } from '#base';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { usdShape } from '../../../admin/fields.ts';
import { findTenant } from '../../../admin/find-tenant.ts';

export const sumHoldsEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/holds',
  summary: 'Sum up the amounts reserved for open requests.',
  scope: 'accounts:read',
  query: {
    organization_id: 'Only of this organization.',
    project_id: 'Only of keys of this project.',
    member_id: 'Only of keys of this member.',
  },
  answer: {
    description: 'The sums now.',
    schema: Type.Object({
      object: Type.Literal('holds'),
      amount: usdShape,
      requests: Type.Integer({ description: 'Requests that the amount is held for.' }),
      leased: Type.Unsafe<string>({
        ...usdShape,
        description: 'USD that gateways hold in advance for the next requests of busy keys.',
      }),
    }),
  },
  isForMembers: true,
  needs: ['accounts'],
  handle: async ({ caller, query }, { accounts }) => {
    const tenant = findTenant(caller, query);
    const { project_id: projectId } = query;
    const { amount, requests, leased } = tenant
      ? await accounts.directory.sumHolds({ ...tenant, ...(projectId !== undefined && { projectId }) })
      : { amount: 0n, requests: 0, leased: 0n };
    return { object: 'holds', amount: formatUsd(amount), requests, leased: formatUsd(leased) };
  },
});
