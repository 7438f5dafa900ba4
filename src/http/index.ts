export { StreamPlaces } from './stream-places.ts';
export { type DashboardFile, type DashboardFiles } from './dashboard-files.ts';
export { type HttpPorts } from './endpoint.ts';
export { ENDPOINTS } from './endpoints/index.ts';
export { type HealthProbe, createHealthProbe } from './health-probe.ts';
export { type HostCheck, createHostCheck } from './host-check.ts';
export { createMetricsServer } from './metrics-server.ts';
export {
  type FeedStatus,
  type GatewayStatus,
  type MappingState,
  type Operations,
  type ProviderTest,
  type SettingLine,
} from './operations.ts';
export { createOpenapi, createOpenapiReader } from './openapi/openapi.ts';
export type { IssuerSettings } from './issuer.ts';
export { createIssuer } from './sign-in/create-issuer.ts';
export { type HttpServer, type HttpServerOptions, createHttpServer } from './server.ts';
