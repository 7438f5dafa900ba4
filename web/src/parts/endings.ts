import type { LogLine } from '../api/log-line.ts';
import { capitalize } from './format.ts';

/** Finish reasons in words. */
const FINISHES: Readonly<Record<string, string>> = {
  completed: 'Completed',
  length: 'Length limit',
  tool_calls: 'Tool calls',
  content_filter: 'Content filter',
  canceled: 'Canceled',
  client_error: 'Refused',
  upstream_error: 'Provider failed',
  gateway_error: 'Gateway failed',
  error: 'Any error',
};

/** Codes of docs/errors.md whose own words say too little. */
const ERRORS: Readonly<Record<string, string>> = {
  invalid_json: 'Not JSON',
  invalid_utf8: 'Not UTF-8',
  malformed_http: 'Not HTTP',
  role_not_allowed: 'Role does not allow it',
  rate_limit_exceeded: 'Rate limit reached',
  unpriced_model: 'Model has no price',
  unpriced_option: 'Option has no price',
  client_closed: 'Client disconnected',
  upstream_credential_refused: 'Provider refused its key',
  upstream_garbled: 'Malformed answer',
  upstream_broken: 'Provider error',
  credential_unreadable: 'Provider key unreadable',
  store_unavailable: 'Database unavailable',
  issuer_unavailable: 'Sign-in unavailable',
  bodies_too_large: 'No memory for the body',
  internal_error: 'Internal error',
};

export const FINISH_REASONS = Object.keys(FINISHES);

/** Codes of docs/errors.md that are offered to filter by; any other can be typed. */
export const ERROR_CODES = [
  'invalid_request',
  'unsupported_feature',
  'content_refused',
  'body_too_large',
  'role_not_allowed',
  'model_not_allowed',
  'rate_limit_exceeded',
  'key_limit_reached',
  'project_limit_reached',
  'organization_limit_reached',
  'credits_exhausted',
  'plan_credits_exhausted',
  'member_budget_reached',
  'session_budget_reached',
  'premium_allowance_exhausted',
  'model_not_found',
  'model_deactivated',
  'provider_not_configured',
  'unpriced_model',
  'client_closed',
  'upstream_rate_limited',
  'upstream_overloaded',
  'upstream_unreachable',
  'upstream_timed_out',
  'upstream_credential_refused',
  'upstream_out_of_quota',
  'upstream_garbled',
  'upstream_broken',
  'store_unavailable',
  'internal_error',
];

export const describeFinish = (finish: string): string => FINISHES[finish] ?? spell(finish);

/** A code of the gateway in words; that of a provider is spelt as it is. */
export const describeError = (code: string): string =>
  ERRORS[code] ?? spell(code.replace(/^upstream_/, 'provider_'));

const spell = (code: string): string => capitalize(code.replaceAll('_', ' ').trim());

/** How a request ended: what was wrong, if anything was. */
export const describeEnd = ({ error_code: code, finish_reason: finish }: LogLine): string =>
  code === null ? describeFinish(finish) : describeError(code);

/** The codes that it represents. */
export const listEndCodes = ({ error_code: code, finish_reason: finish }: LogLine): string =>
  code === null ? finish : `${finish}, ${code}`;
