import { GatewayError } from '#errors';

/** Refuses a feature this upstream lacks; another mapping of the model may support it. */
export function refuseFeature(what: string, param: string): never {
  throw new GatewayError('unsupported_feature', `this model's provider cannot take ${what}`, { param });
}
