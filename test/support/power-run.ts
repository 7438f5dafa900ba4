import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAccounts } from '#accounts';
import { type PicoUsd, systemClock } from '#base';
import { type Database, Journal, type JournalFiles, type Session, openJournalFiles } from '#storage';
import { silentLog } from '#telemetry';
import { openFreshAccounts } from './fresh-accounts.ts';
import { type PowerScene, createPowerScene } from './power-scene.ts';
import { createSeededRandom } from './seeded-random.ts';
import { createTemporaryFolder } from './temporary.ts';
import { UndoneDatabase } from './undone-database.ts';

interface PowerPlan {
  seed: number;
  /** How many places of the journal; all if absent. */
  cuts?: number | undefined;
  report?(line: string): void;
}

interface PowerFigures {
  cuts: number;
  bytes: number;
  records: number;
  /** Requests of which the journal had nothing left, in all cuts together. */
  forgotten: number;
  /** What the operator was booked for them, and what their providers billed at most. */
  lost: PicoUsd;
  missing: PicoUsd;
}

/** Where the journal ends: `at` bytes of the file `file` and all earlier ones. */
interface Cut {
  file: number;
  at: number;
  /** The file has its length, but zeros from there on. */
  isZeroed: boolean;
  isReplayedAgain: boolean;
  /** Another process, without the journal, closed what was open before. */
  isClosedBefore: boolean;
  /** The period in which everything was admitted is over. */
  isLater: boolean;
}

const REPORT_EVERY = 1_000;
const ZEROED_EVERY = 5;
/** So often the next start is replayed again, as if it had ended before the files were removed. */
const AGAIN_EVERY = 8;
const LATER_EVERY = 3;
const LATER_MS = 2 * 3_600_000;

const READ_BOOKS = `
  SELECT m.used::text, m.held::text,
    ARRAY(SELECT p.used::text FROM meter p WHERE p.kind = 'recurring' AND p.subject_id = $1 ORDER BY p.starts_at) AS periods, (SELECT count(*) FROM hold)::int AS holds,
    (SELECT COALESCE(sum(provider), 0)::text FROM ledger_entry WHERE kind IN ('lost', 'found')) AS lost,
    (SELECT COALESCE(jsonb_agg(jsonb_build_object('id', request_id, 'kind', kind, 'customer', customer::text)), '[]')
     FROM ledger_entry WHERE request_id = ANY ($2)) AS entries,
    (SELECT jsonb_agg(d) FROM (
      SELECT * FROM ledger_check() UNION ALL SELECT * FROM ledger_check_rows() UNION ALL
      SELECT * FROM ledger_check_entries() UNION ALL SELECT * FROM request_log_check()) AS d) AS differences
  FROM meter m WHERE m.kind = 'key' AND m.subject_id = $1`;

interface Books {
  used: string;
  held: string;
  /** What each period was charged. */
  periods: string[];
  holds: number;
  lost: string;
  entries: { id: string; kind: string; customer: string }[];
  differences: unknown[] | null;
}

/** Replays a journal that a power failure cut off, at each of its bytes; throws where a guarantee is broken. */
export async function runPowerPlan({ seed, cuts: most, report }: PowerPlan): Promise<PowerFigures> {
  const random = createSeededRandom(seed);
  await using fresh = await openFreshAccounts();
  const scene = await createPowerScene(fresh, random);
  await fresh.accounts.close(); // it would close what the scene left open
  using folder = createTemporaryFolder();
  const session = await fresh.database.openSession();
  const cuts = chooseCuts(scene, { most, random });
  const bytes = scene.files.reduce((sum, file) => sum + file.bytes.length, 0);
  const records = scene.files.reduce((sum, file) => sum + file.records.length, 0);
  const figures: PowerFigures = { cuts: cuts.length, bytes, records, forgotten: 0, lost: 0n, missing: 0n };
  const stage: Stage = { scene, session, database: fresh.database, folder: folder.path };
  for (const [at, cut] of cuts.entries()) {
    try {
      const { forgotten, lost, missing } = await replayCut(stage, cut);
      figures.forgotten += forgotten;
      figures.lost += lost;
      figures.missing += missing;
    } catch (error) {
      throw new Error(`cut ${JSON.stringify(cut)}: ${String(error)}`, { cause: error });
    }
    if ((at + 1) % REPORT_EVERY === 0) report?.(`${at + 1} of ${cuts.length} cuts`);
  }
  await session.close();
  return figures;
}

/** Each byte; if that is too much, the ends of all records and the bytes around them, then random ones. */
function chooseCuts(
  { files }: PowerScene,
  { most, random }: { most: number | undefined; random: () => number },
): Cut[] {
  const all = files.flatMap(({ bytes }, file) =>
    Array.from({ length: bytes.length + 1 }, (_, at) => ({ file, at })),
  );
  const ends = files.flatMap(({ records, bytes }, file) =>
    records
      .flatMap(({ end }) => [end - 1, end, end + 1])
      .map((at) => ({ file, at: Math.min(at, bytes.length) })),
  );
  const chosen = most === undefined ? all : ends.slice(-most);
  while (most !== undefined && chosen.length < Math.min(most, all.length))
    chosen.push(all[Math.floor(random() * all.length)] as (typeof all)[number]);
  return chosen.map((cut, number) => ({
    ...cut,
    isZeroed: number % ZEROED_EVERY === 0,
    isReplayedAgain: number % AGAIN_EVERY === 0,
    isClosedBefore: number % AGAIN_EVERY === 1,
    isLater: number % LATER_EVERY === 0,
  }));
}

interface Stage {
  scene: PowerScene;
  session: Session;
  database: Database;
  folder: string;
}

type Result = Pick<PowerFigures, 'forgotten' | 'lost' | 'missing'>;

async function replayCut(stage: Stage, cut: Cut): Promise<Result> {
  await using undone = await UndoneDatabase.begin(stage.session, stage.database);
  const { database } = undone;
  if (cut.isClosedBefore) {
    removeFiles(stage.folder);
    await startOnce(database, stage.folder, cut);
  }
  restore(stage, cut);
  await startOnce(database, stage.folder, cut);
  const books = await readBooks(database, stage.scene);
  const result = judge(stage.scene, cut, books);
  if (!cut.isReplayedAgain) return result;
  restore(stage, cut);
  await startOnce(database, stage.folder, cut);
  const again = await readBooks(database, stage.scene);
  if (JSON.stringify(again) !== JSON.stringify(books))
    throw new Error(`a second replay changed ${JSON.stringify(books)} to ${JSON.stringify(again)}`);
  return result;
}

function removeFiles(folder: string): void {
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
}

function restore({ scene, folder }: Stage, { file, at, isZeroed }: Cut): void {
  removeFiles(folder);
  const { ownerFile, files } = scene;
  writeFileSync(join(folder, ownerFile.name), ownerFile.bytes);
  for (const { name, bytes } of files.slice(0, file)) writeFileSync(join(folder, name), bytes);
  const last = files[file];
  if (!last) return;
  const kept = last.bytes.subarray(0, at);
  const rest = Buffer.alloc(isZeroed ? last.bytes.length - at : 0);
  writeFileSync(join(folder, last.name), Buffer.concat([kept, rest]));
}

/** The start of the next process, which then ends. */
async function startOnce(database: Database, folder: string, { isLater }: Cut): Promise<void> {
  const journal = new Journal({ folder, installation: 'test', log: silentLog, files: withoutSyncs(folder) });
  await journal.open();
  const faults: unknown[] = [];
  const accounts = createAccounts({
    database,
    journal,
    clock: systemClock,
    ...(isLater && { windowClock: { now: () => systemClock.now() + LATER_MS } }),
    secret: Buffer.alloc(32, 7),
    exclusive: true,
    onFault: (error) => faults.push(error),
  });
  await accounts.start();
  await accounts.close();
  await journal.close();
  if (faults.length > 0) throw faults[0];
}

/** No power fails while the test runs. */
function withoutSyncs(folder: string): JournalFiles {
  const files = openJournalFiles(folder);
  return {
    ...files,
    create: async (name) => ({ ...(await files.create(name)), sync: async () => undefined }),
    syncFolder: async () => undefined,
  };
}

async function readBooks(database: Database, { caller, requests }: PowerScene): Promise<Books> {
  const values = [caller.keyId, requests.map(({ id }) => id)];
  const { rows } = await database.query<Books>({ text: READ_BOOKS, values });
  if (!rows[0]) throw new Error('the key has no meter');
  return rows[0];
}

function judge(scene: PowerScene, cut: Cut, books: Books): Result {
  const { limit, used: usedBefore, requests } = scene;
  const used = BigInt(books.used);
  if (used > limit) throw new Error(`${used} is used of ${limit}`);
  if (books.held !== '0' || books.holds > 0) throw new Error(`${books.held} is still held`);
  if (books.periods.join() !== books.used)
    throw new Error(`${books.used} is used, ${books.periods.join(' and ')} in periods`);
  if (books.differences !== null) throw new Error(JSON.stringify(books.differences));
  const booked = new Map<string, PicoUsd>();
  for (const { id, customer } of books.entries) booked.set(id, (booked.get(id) ?? 0n) + BigInt(customer));
  if (booked.size < books.entries.filter(({ kind }) => kind === 'usage' || kind === 'estimate').length)
    throw new Error('a request is booked twice');
  const sum = [...booked.values()].reduce((all, one) => all + one, usedBefore);
  if (used !== sum) throw new Error(`${used} is used where ${sum} is booked`);
  const known = readSettled(scene, cut);
  for (const { id, bill } of requests.filter((one) => known.has(one.id)))
    if (booked.get(id) !== bill) throw new Error(`${id} is booked with ${booked.get(id)} instead of ${bill}`);
  const leased = requests.filter(({ isHeld }) => !isHeld);
  const missing = leased.reduce((all, { id, bill }) => all + bill - (booked.get(id) ?? 0n), 0n);
  const lost = BigInt(books.lost);
  const accounted = leased.reduce((all, { id }) => all + (booked.get(id) ?? 0n), 0n);
  if (lost !== scene.leased - accounted)
    throw new Error(`${lost} is booked as lost of ${scene.leased}, of which ${accounted} is booked`);
  if (missing > lost) throw new Error(`${missing} may be missing, ${lost} is booked as lost`);
  return { forgotten: leased.filter(({ id }) => !booked.has(id)).length, lost, missing };
}

/** Whose settlement the journal still has as a whole. */
function readSettled({ files }: PowerScene, cut: Cut): Set<string> {
  const texts = files.flatMap(({ records }, file) =>
    records
      .filter(({ end }) => file < cut.file || (file === cut.file && end <= cut.at))
      .map(({ text }) => text),
  );
  const settled = texts.filter((text) => text.startsWith('{"id":'));
  return new Set(settled.map((text) => (JSON.parse(text) as { id: string }).id));
}
