import type { Endpoint } from '../../endpoint.ts';
import { createReportEndpoints } from '../../report-endpoints.ts';
import { createResourceEndpoints } from '../../resource-endpoints.ts';
import { getBillEndpoint } from './bill-get/endpoint.ts';
import { checkLedgerEndpoint } from './ledger-check/endpoint.ts';
import { streamLogsEndpoint } from './logs-stream/endpoint.ts';
import { getSettingsEndpoint } from './settings-get/endpoint.ts';
import { getStatusEndpoint } from './status-get/endpoint.ts';
import { listProvidersEndpoint } from './providers-list/endpoint.ts';
import { testOwnProviderEndpoint } from './own-provider-test/endpoint.ts';
import { testProviderEndpoint } from './provider-test/endpoint.ts';

/** The administration API. */
export const ADMIN_ENDPOINTS: readonly Endpoint[] = [
  ...createResourceEndpoints(),
  ...createReportEndpoints(),
  streamLogsEndpoint,
  getBillEndpoint,
  checkLedgerEndpoint,
  getStatusEndpoint,
  getSettingsEndpoint,
  listProvidersEndpoint,
  testProviderEndpoint,
  testOwnProviderEndpoint,
];
