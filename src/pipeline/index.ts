export { type Arrival, type Reply } from './arrival.ts';
export { countTokens } from './count-tokens.ts';
export { generate } from './generate.ts';
export { HealthBook } from './health-book.ts';
export { identify } from './identify.ts';
export { permitAddress } from './permit.ts';
export { type LiveSettings, type Ports, type Timeouts } from './ports.ts';
export { serveMedium } from './serve-medium.ts';
export { sendError, statusOf } from './send-error.ts';
