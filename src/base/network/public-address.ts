import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** IPv4 ranges that are local, private, reserved or multicast (RFC 6890 and its successors). */
const SPECIAL_V4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32], // Azure's platform services
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const;

/** Ranges within global unicast that embed an IPv4 address, or are for documentation, benchmarks and the like. */
const SPECIAL_V6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3ffe::', 16],
  ['3fff::', 20],
] as const;

const special = new BlockList();
for (const [address, prefix] of SPECIAL_V4) special.addSubnet(address, prefix, 'ipv4');
for (const [address, prefix] of SPECIAL_V6) special.addSubnet(address, prefix, 'ipv6');

/** All allocated IPv6 space; excludes loopback, mapped, NAT64, unique-local, link-local and multicast. */
const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');

/** Whether a text is a public internet address. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !special.check(address, 'ipv4');
  return isIPv6(address) && globalUnicast.check(address, 'ipv6') && !special.check(address, 'ipv6');
}
