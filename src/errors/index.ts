export { describeErrors } from './describe.ts';
export { type ErrorFacts, GatewayError, toGatewayError } from './gateway-error.ts';
export {
  type Blame,
  ERRORS,
  type ErrorCode,
  type ErrorEntry,
  type MessagesErrorType,
  getErrorEntry,
} from './table.ts';
export {
  AFTER_FAILURE,
  type FailureKind,
  type UpstreamFailure,
  findNext,
  toCallerError,
} from './upstream-failure.ts';
export { type Wording, WORDINGS } from './refusals-of-mapping.ts';
