import { BlockList, isIP } from 'node:net';

/** A range of addresses. */
export interface AddressRange {
  address: string;
  prefix: number;
  family: 'ipv4' | 'ipv6';
}

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const MAPPED_BITS = 96;
const BITS = { ipv4: 32, ipv6: 128 };

/** Parses `10.0.0.0/8`, `2001:db8::/32` or a single address; undefined for anything else. */
export function parseNetwork(text: string): AddressRange | undefined {
  const [, written = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const address = readAddress(written);
  if (!address) return undefined;
  const isMapped = MAPPED.test(written);
  const most = BITS[address.family];
  const prefix = bits === undefined ? most : Number(bits) - (isMapped ? MAPPED_BITS : 0);
  return prefix >= 0 && prefix <= most ? { ...address, prefix } : undefined;
}

/** Tests whether an address is in one of these networks; a malformed address is in none. */
export function createNetworkCheck(networks: readonly AddressRange[]): (address: string) => boolean {
  if (networks.length === 0) return () => false;
  // With one list, `::/0` would match IPv4 callers.
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const { address, prefix, family } of networks) lists[family].addSubnet(address, prefix, family);
  return (text) => {
    const address = readAddress(text);
    return address !== undefined && lists[address.family].check(address.address, address.family);
  };
}

/** An address in its own family, without a zone: an IPv4 caller on an IPv6 socket appears as `::ffff:192.0.2.1`. */
export function readAddress(text: string): Omit<AddressRange, 'prefix'> | undefined {
  const [bare = ''] = text.split('%');
  const address = MAPPED.exec(bare)?.[1] ?? bare;
  const version = isIP(address);
  return version === 0 ? undefined : { address, family: version === 4 ? 'ipv4' : 'ipv6' };
}
