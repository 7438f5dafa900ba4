export { describeErrors } from './describe.ts';
export { GatewayError, toGatewayError } from './gateway-error.ts';
export { ERRORS, type ErrorCode, type MessagesErrorType, getErrorEntry } from './table.ts';
export {
  AFTER_FAILURE,
  type FailureKind,
  type UpstreamFailure,
  concernsCredential,
  findNext,
  toCallerError,
} from './upstream-failure.ts';
export { WORDINGS } from './refusals-of-mapping.ts';
