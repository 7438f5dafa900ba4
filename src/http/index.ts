export { type HttpPorts } from './endpoint.ts';
export { ENDPOINTS } from './endpoints/index.ts';
export { type HealthProbe, createHealthProbe } from './health-probe.ts';
export { createOpenapi } from './openapi.ts';
export { type HttpServer, type HttpServerOptions, createHttpServer } from './server.ts';
