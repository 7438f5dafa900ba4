import type { HttpPorts } from '#http';
import { createHostCheck } from '#http';

/** The names of test gateways. Keys are accepted under one name more than cookies. */
export const TEST_HOSTS: Pick<HttpPorts, 'checkHost' | 'checkOwnHost'> = {
  checkHost: createHostCheck({ isLocal: true, hosts: ['x', 'gateway.example'] }),
  checkOwnHost: createHostCheck({ isLocal: true, hosts: ['gateway.example'] }),
};
