import type { LookupAddress, LookupOptions } from 'node:dns';
import { lookup } from 'node:dns';
import { BlockList, isIP } from 'node:net';

const PRIVATE_4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
];
/** With what only carries an IPv4 address: mapped, NAT64, 6to4, Teredo. */
const PRIVATE_6 = [
  '::/96',
  '::ffff:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
];
const PRIVATE_NAME = /(^|\.)(localhost|local|internal|home\.arpa)\.?$/i;

const blocked = new BlockList();
for (const [family, subnets] of [
  ['ipv4', PRIVATE_4],
  ['ipv6', PRIVATE_6],
] as const) {
  for (const subnet of subnets) {
    const [address = '', bits = ''] = subnet.split('/');
    blocked.addSubnet(address, Number(bits), family);
  }
}

/** Whether an IP address is one that anybody on the internet may have. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && !blocked.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

/** Whether an address that a provider named may be asked: https on the usual port, no private name, no private IP. */
export function isPublicUrl({ protocol, hostname, port, username, password }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return (
    protocol === 'https:' &&
    port === '' &&
    username + password === '' &&
    !PRIVATE_NAME.test(host) &&
    (isIP(host) === 0 || isPublicAddress(host))
  );
}

type Found = (
  error: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void;

/** The lookup of a socket that connects to no private address, whatever a name server says, and to none that was not checked. */
export function lookupPublic(hostname: string, options: LookupOptions, found: Found): void {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const [first] = addresses;
    if (error) found(error, []);
    else if (!first || addresses.some(({ address }) => !isPublicAddress(address)))
      found(Object.assign(new Error('the name leads to a private address'), { code: 'EPRIVATE' }), []);
    else if (options.all === true) found(null, addresses);
    else found(null, first.address, first.family);
  });
}
