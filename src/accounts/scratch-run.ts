import { systemClock } from '#base';
import { createAccounts } from '#accounts';
import { scratch } from './scratch-db.ts';
const db = await scratch('postgres://root@127.0.0.1:5432/sluice_accounts_dev');
const a = createAccounts({
  database: db,
  clock: systemClock,
  secret: Buffer.alloc(32, 1),
  exclusive: true,
  onFault: (e) => console.log('fault', e),
});
await a.start();
const o = await a.directory.createOrganization('Acme');
const p = await a.directory.createProject({ organizationId: o.id, name: 'P' });
const { secret, key } = await a.directory.createKey({ projectId: p.id, label: 'k', limit: 100_000n });
console.log(secret, key, await a.directory.findDefault());
const caller = await a.identify(secret);
console.log(caller, await a.findKeyStatus(caller));
const row = (id: string) => ({
  requestId: id,
  organizationId: caller.organizationId,
  projectId: caller.projectId,
  keyId: caller.keyId,
  startedAt: Date.now(),
  endpoint: '/v1/messages',
  format: 'messages',
  stream: true,
  requestedModel: 'm',
  finishReason: 'completed',
  status: 200,
  cached: false,
  estimated: false,
  usage: { inputUncached: 3 },
  attempts: [],
  durationMs: 5,
});
// last cent
const t = performance.now();
const res = await Promise.allSettled(
  Array.from({ length: 200 }, async (_, i) => {
    const id = 'req_' + i;
    await a.ledger.reserve({ requestId: id, caller, amount: 5000n, row: row(id) });
    await new Promise((r) => setTimeout(r, Math.random() * 20));
    await a.ledger.settle({ requestId: id, customer: 1000n, provider: 500n, estimated: false, row: row(id) });
  }),
);
console.log(res.filter((r) => r.status === 'fulfilled').length, 'ok', performance.now() - t, 'ms');
console.log((res.find((r) => r.status === 'rejected') as any)?.reason?.message);
console.log(await a.findKeyStatus(caller), await a.ledger.check());
await a.directory.setKeyLimit(caller.keyId, null);
// throughput
let n = 0;
for (const c of [1, 16, 64, 128]) {
  const end = performance.now() + 2500;
  const start = performance.now();
  let done = 0;
  const lat: number[] = [];
  await Promise.all(
    Array.from({ length: c }, async () => {
      while (performance.now() < end) {
        const id = 'load_' + n++;
        const t0 = performance.now();
        await a.ledger.reserve({ requestId: id, caller, amount: 5000n, row: row(id) });
        await a.ledger.settle({
          requestId: id,
          customer: 1000n,
          provider: 500n,
          estimated: false,
          row: row(id),
        });
        lat.push(performance.now() - t0);
        done++;
      }
    }),
  );
  lat.sort((x, y) => x - y);
  console.log(
    'c',
    c,
    Math.round(done / ((performance.now() - start) / 1000)),
    'pairs/s p50',
    lat[lat.length >> 1]!.toFixed(2),
    'p99',
    lat[Math.floor(lat.length * 0.99)]!.toFixed(2),
  );
}
console.log(await a.ledger.check());
await a.close();
await db.close();
