import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';

/** Addresses of a name; the second set is for the second query, the last one for all later ones. */
export type Zone = Record<string, readonly (readonly string[])[]>;

/** A DNS server on a real socket whose answers may change. */
export interface NameServer extends AsyncDisposable {
  /** As `Resolver.setServers` takes it. */
  readonly address: string;
  /** Names queried for IPv4 addresses. */
  readonly asked: readonly string[];
}

const A = 1;
const AAAA = 28;
const HEADER_BYTES = 12;
const RESPONSE = 0x8180;
const NO_SUCH_NAME = 3;

export async function startNameServer(zone: Zone): Promise<NameServer> {
  const asked: string[] = [];
  const times = new Map<string, number>();
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = readQuestion(query);
    const key = `${name} ${type}`;
    const time = times.get(key) ?? 0;
    times.set(key, time + 1);
    if (type === A) asked.push(name);
    const sets = zone[name];
    const found = sets?.[Math.min(time, sets.length - 1)] ?? [];
    const wanted = found.filter((one) => isIPv6(one) === (type === AAAA));
    socket.send(createReply(query, end, { wanted, type, isKnown: sets !== undefined }), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    [Symbol.asyncDispose]: async () => {
      socket.close();
      await once(socket, 'close');
    },
  };
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

interface Answer {
  wanted: readonly string[];
  type: number;
  isKnown: boolean;
}

function createReply(query: Buffer, end: number, { wanted, type, isKnown }: Answer): Buffer {
  const head = Buffer.from(query.subarray(0, end));
  head.writeUInt16BE(RESPONSE | (isKnown ? 0 : NO_SUCH_NAME), 2);
  head.writeUInt16BE(wanted.length, 6);
  head.writeUInt16BE(0, 8);
  head.writeUInt16BE(0, 10);
  return Buffer.concat([head, ...wanted.map((address) => createRecord(address, type))]);
}

/** The name by reference, of class IN, for no time at all. */
function createRecord(address: string, type: number): Buffer {
  const data = type === A ? Buffer.from(address.split('.').map(Number)) : encodeV6(address);
  const record = Buffer.alloc(HEADER_BYTES);
  record.writeUInt16BE(0xc00c, 0);
  record.writeUInt16BE(type, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt16BE(data.length, 10);
  return Buffer.concat([record, data]);
}

function encodeV6(address: string): Buffer {
  const [front = '', back = ''] = address.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':').map((group) => parseInt(group, 16)));
  const [before, after] = [groups(front), groups(back)];
  const middle = Array<number>(8 - before.length - after.length).fill(0);
  const bytes = Buffer.alloc(16);
  for (const [index, group] of [...before, ...middle, ...after].entries())
    bytes.writeUInt16BE(group, index * 2);
  return bytes;
}
