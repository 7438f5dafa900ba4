export { describeErrors } from './describe.ts';
export { GatewayError, createInvalid, createParamError, detailOf, toGatewayError } from './gateway-error.ts';
export type { MessagesErrorType } from './entry.ts';
export { ERRORS, type ErrorCode, getErrorEntry } from './table.ts';
export {
  AFTER_FAILURE,
  type FailureKind,
  type UpstreamFailure,
  concernsCredential,
  findBlame,
  findNext,
  toCallerError,
} from './upstream-failure.ts';
export { WORDINGS } from './refusals-of-mapping.ts';
