export { type Arrival, type Reply } from './request/arrival.ts';
export { serveOrder } from './path/serve-order.ts';
export { type CountFormat, countTokens } from './path/count-tokens.ts';
export { textGeneration } from './path/text-generation.ts';
export { serve } from './path/serve.ts';
export { createNoModel, findStrategy, getModel } from './request/options/get-model.ts';
export { identify, identifyAdmin } from './path/identify.ts';
export { permitAddress, permitRole } from './path/mappings/permit.ts';
export { type Credential, type LiveSettings, type Ports, type ProviderLookup } from './request/ports.ts';
export { type Allowance, Capacity, type QueueRules } from './request/memory/capacity.ts';
export { receive } from './path/receive.ts';
export { receiveMedium } from './media/receive-medium.ts';
export { createMediumKind } from './media/medium-request.ts';
export { sendError } from './answer/send-error.ts';
export {
  FALLBACKS_MEMBER,
  PREFERENCE_MEMBERS,
  type Preferences,
  readPreferences,
  toPreferences,
  withStrategy,
} from './request/options/preferences.ts';
export { refuseForeignOptions } from './request/options/foreign-options.ts';
export { listUnsupported } from './request/options/required-parameters.ts';
export { recordFailure, recordSuccess } from './attempt/route/record-attempt.ts';
export { toTarget } from './attempt/target.ts';
export { type ProcessMemory, createProcessMemory } from './request/process-memory.ts';
