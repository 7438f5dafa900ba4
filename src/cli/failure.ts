import { GatewayError } from '#errors';

/** What a person can act on: the message, and for a fault of the gateway its detail. */
export function describeFailure(error: unknown): string {
  if (error instanceof GatewayError) {
    const { detail } = error.facts;
    return detail === undefined
      ? `error: ${error.message}`
      : `error: ${error.message} (${detail.split('\n', 1)[0] ?? ''})`;
  }
  if (error instanceof Error) {
    return error.message
      .split('\n')
      .map((line) => `error: ${line}`)
      .join('\n');
  }
  return `error: ${String(error)}`;
}
