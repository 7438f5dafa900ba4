import { openFreshAccounts } from '../test/support/fresh-accounts.ts';
import { fillLedger } from '../test/support/fill-ledger.ts';

/** Measures the time of a ledger check. */
const ROWS = Number(process.argv[2] ?? 1_000_000);
const TURNS = 3;

await using fresh = await openFreshAccounts();
const { accounts, database } = fresh;
const begin = performance.now();
await fillLedger({ accounts, database }, { rows: ROWS });
console.log(`${ROWS} requests written in ${((performance.now() - begin) / 1_000).toFixed(0)} s`);
for (let turn = 0; turn < TURNS; turn += 1) {
  const from = performance.now();
  const differences = await accounts.ledger.check();
  const seconds = (performance.now() - from) / 1_000;
  console.log(
    `ledger check: ${seconds.toFixed(1)} s, ${((seconds / ROWS) * 1e6).toFixed(1)} s per million requests, ${differences.length} differences`,
  );
  if (differences.length > 0) console.log(differences.slice(0, 5));
}
