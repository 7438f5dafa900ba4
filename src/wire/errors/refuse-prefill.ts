import { GatewayError } from '#errors';

/** Refuses a conversation that ends with the assistant, which the model would have to continue. */
export function refusePrefill(): never {
  throw new GatewayError(
    'unsupported_feature',
    "this model's provider cannot continue a conversation that ends with the assistant",
    { param: 'messages' },
  );
}
