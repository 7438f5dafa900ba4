import type { DashboardFiles } from '#http';
import type { Call, Endpoint, HttpPorts } from '../../src/http/endpoint.ts';

/** What an endpoint sent. */
export interface SentReply {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string | Buffer;
}

/** A small build: the page, and a script with its compressed copies. */
export function createFiles(): DashboardFiles {
  const script = { contentType: 'text/javascript', bytes: Buffer.from('plain'), isHashed: true };
  const page = Buffer.from('<meta name="csp-nonce" content="__SLUICE_NONCE__" />');
  const files = new Map([
    ['index.html', { contentType: 'text/html', bytes: page, isHashed: false }],
    ['assets/main-1.js', { ...script, gzip: Buffer.from('gzip'), brotli: Buffer.from('brotli') }],
  ]);
  return () => files;
}

/** Calls an endpoint of the dashboard with these files. */
export async function getDashboard(
  endpoint: Endpoint,
  path: string,
  ...[dashboard, headers = {}]: [dashboard: DashboardFiles, headers?: Call['headers']]
): Promise<SentReply> {
  const sent: SentReply[] = [];
  const reply = {
    send: (status: number, given: SentReply['headers'], body: string | Buffer) =>
      void sent.push({ status, headers: given, body }),
  };
  const call = { path, params: { file: path.split('/').at(-1) }, headers, reply } as unknown as Call;
  await endpoint.handle(call, { dashboard } as unknown as HttpPorts);
  const [answer] = sent;
  if (!answer) throw new Error(`${path} was not answered`);
  return answer;
}
