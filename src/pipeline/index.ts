export { type Arrival, type Reply } from './arrival.ts';
export { countTokens } from './count-tokens.ts';
export { generate } from './generate.ts';
export { HealthBook } from './health-book.ts';
export { identify, identifyAdmin } from './identify.ts';
export { permitAddress, permitRole } from './permit.ts';
export { type LiveSettings, type Ports, type ProviderLookup, type Timeouts } from './ports.ts';
export { receive } from './receive.ts';
export { sendError, statusOf } from './send-error.ts';
