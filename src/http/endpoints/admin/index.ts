import type { Endpoint } from '../../endpoint.ts';
import { createResourceEndpoints } from '../../resource-endpoints.ts';
import { getBillEndpoint } from './bill-get/endpoint.ts';
import { listAdviceEndpoint } from './advice-list/endpoint.ts';
import { listAlertsEndpoint } from './alerts-list/endpoint.ts';
import { listCacheMissesEndpoint } from './cache-misses-list/endpoint.ts';
import { listExperimentsEndpoint } from './experiments-list/endpoint.ts';
import { listExportsEndpoint } from './exports-list/endpoint.ts';
import { sumHoldsEndpoint } from './holds-sum/endpoint.ts';
import { listLatencyEndpoint } from './latency-list/endpoint.ts';
import { checkLedgerEndpoint } from './ledger-check/endpoint.ts';
import { streamLogsEndpoint } from './logs-stream/endpoint.ts';
import { getLogEndpoint } from './logs-get/endpoint.ts';
import { listLogsEndpoint } from './logs-list/endpoint.ts';
import { getPayloadEndpoint } from './payloads-get/endpoint.ts';
import { getSessionEndpoint } from './sessions-get/endpoint.ts';
import { whatIfEndpoint } from './what-if/endpoint.ts';
import { listSessionsEndpoint } from './sessions-list/endpoint.ts';
import { getSettingsEndpoint } from './settings-get/endpoint.ts';
import { getStatusEndpoint } from './status-get/endpoint.ts';
import { listNamesEndpoint } from './names-list/endpoint.ts';
import { listProvidersEndpoint } from './providers-list/endpoint.ts';
import { listUsageEndpoint } from './usage-list/endpoint.ts';
import { listWebhookDeliveriesEndpoint } from './webhook-deliveries-list/endpoint.ts';
import { testOwnProviderEndpoint } from './own-provider-test/endpoint.ts';
import { testProviderEndpoint } from './provider-test/endpoint.ts';

/** The administration API. */
export const ADMIN_ENDPOINTS: readonly Endpoint[] = [
  ...createResourceEndpoints(),
  listUsageEndpoint,
  listLatencyEndpoint,
  sumHoldsEndpoint,
  listNamesEndpoint,
  listLogsEndpoint,
  streamLogsEndpoint,
  getLogEndpoint,
  getBillEndpoint,
  getPayloadEndpoint,
  listSessionsEndpoint,
  whatIfEndpoint,
  getSessionEndpoint,
  listCacheMissesEndpoint,
  listExperimentsEndpoint,
  listAdviceEndpoint,
  listExportsEndpoint,
  listAlertsEndpoint,
  listWebhookDeliveriesEndpoint,
  checkLedgerEndpoint,
  getStatusEndpoint,
  getSettingsEndpoint,
  listProvidersEndpoint,
  testProviderEndpoint,
  testOwnProviderEndpoint,
];
