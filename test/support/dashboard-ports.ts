import type { HttpPorts } from '#http';
import { createHostCheck } from '#http';
import { readDashboardFiles } from '../../src/app/lifecycle/dashboard-files.ts';

/** The names of test gateways, and the built dashboard. Keys are accepted under one name more than cookies. */
export const DASHBOARD_PORTS: Pick<HttpPorts, 'checkHost' | 'checkOwnHost' | 'dashboard'> = {
  checkHost: createHostCheck({ isLocal: true, hosts: ['x', 'gateway.example'] }),
  checkOwnHost: createHostCheck({ isLocal: true, hosts: ['gateway.example'] }),
  dashboard: readDashboardFiles,
};
