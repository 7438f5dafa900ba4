import type { Report } from '#fields';
import type { AdminCaller } from '#accounts';
import type { Endpoint, ResponseSpec } from './endpoint.ts';
import { defineAdminEndpoint } from './admin/admin-endpoint.ts';
import { findTenant } from './admin/find-tenant.ts';
import { createNotFound } from './not-found.ts';
import { requireAll } from './admin/of-all.ts';
import { describeFilters, readFilters } from './admin/filters.ts';
import { type ReportPorts, REPORTS } from '#reports';
import { type DeliveryPorts, webhookDeliveriesReport } from '#videos';

type AnyReport = Report<ReportPorts & DeliveryPorts, unknown, unknown>;

/** Reports on videos have no command: what they import loads the HTTP client. */
const ALL: readonly AnyReport[] = [...REPORTS, webhookDeliveriesReport];

/** The endpoints of all reports. */
export const createReportEndpoints = (): Endpoint[] => ALL.map(createEndpoint);

function createEndpoint(report: AnyReport): Endpoint {
  const { path, summary, scope, isForMembers = false, ofAll, filters } = report;
  return defineAdminEndpoint({
    method: 'GET',
    path: `/admin/v1/${path}`,
    summary,
    scope,
    query: describeFilters(filters),
    answer: describeAnswer(report),
    ...(isForMembers && { isForMembers }),
    needs: ['clock', 'reports'],
    handle: async ({ caller, query, id }, { clock, reports }) => {
      if (ofAll !== undefined) requireAll(caller, ofAll);
      const now = clock.now();
      const input = readFilters(filters, query, now);
      const tenant = findTenant(caller, query);
      const call = { ...reports, id, now, input: { ...input, ...(tenant ?? listOwnIds(caller)) } };
      const found = tenant ? await report.read(call) : await report.findNothing?.(call);
      if (found === undefined) throw createNotFound(report.record ?? path);
      return report.output.encode(found, caller.organizationId === undefined);
    },
  });
}

/** The ids that a caller is bound to. */
const listOwnIds = ({ organizationId, memberId }: AdminCaller): object => ({
  ...(organizationId !== undefined && { organizationId }),
  ...(memberId !== undefined && { memberId }),
});

export const describeAnswer = ({ answer, output }: Pick<Report, 'answer' | 'output'>): ResponseSpec => ({
  description: answer,
  schema: output.answer,
});
