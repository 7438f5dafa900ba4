export { StreamPlaces } from './admin/stream-places.ts';
export { type DashboardFile, type DashboardFiles } from './dashboard/dashboard-files.ts';
export { type HttpPorts } from './endpoint.ts';
export { ENDPOINTS } from './endpoints/index.ts';
export { type HealthProbe, createHealthProbe } from './health-probe.ts';
export { type HostCheck, createHostCheck } from './host-check.ts';
export { createMetricsServer } from './metrics-server.ts';
export {
  type AlertStatus,
  type FeedStatus,
  type GatewayStatus,
  type MappingState,
  type Operations,
  type ProviderTest,
  type SettingLine,
} from './operations.ts';
export { createOpenapi, createOpenapiReader } from './openapi/openapi.ts';
export { type IssuerSettings, createIssuer } from './sign-in/issuer.ts';
export { type HttpServer, type HttpServerOptions, createHttpServer } from './server.ts';
