import { isIPv4 } from 'node:net';

/** Whether only this machine can reach an address. */
export function isLoopback(host: string): boolean {
  if (isIPv4(host)) return host.startsWith('127.');
  return host === '::1' || host === 'localhost';
}
