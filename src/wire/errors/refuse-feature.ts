import { GatewayError } from '#errors';

/** Refuses a feature that this upstream lacks; another mapping of the model may support it. */
export function refuseFeature(what: string, param: string): never {
  throw new GatewayError('unsupported_feature', `this model's provider cannot take ${what}`, { param });
}

/** Refuses a conversation that ends with the assistant, which the model would have to continue. */
export function refusePrefill(): never {
  return refuseFeature('a conversation that ends with the assistant', 'messages');
}
