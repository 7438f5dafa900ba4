import type { Database } from '#storage';

/** The body of a function without comments and line breaks. */
const BODY = String.raw`
  regexp_replace(regexp_replace(regexp_replace(p.prosrc, '--[^\n]*', '', 'g'), '\s+', ' ', 'g'), '(\() | (\))', '\1\2', 'g')`.trim();
const IN_SCHEMA = `relnamespace = 'public'::regnamespace AND c.relname <> 'schema_migration' AND c.relname <> 'schema_migration_pkey'`;

/** Each lists facts of one kind, one per line. Names of NOT NULL constraints, which PostgreSQL 18 adds, are omitted. */
const KINDS = {
  relation: `
    SELECT c.relname, c.relkind, c.relpersistence, c.reloptions::text, c.relacl::text, c.relrowsecurity, c.relreplident,
      a.amname, pg_get_partkeydef(c.oid) AS partitioned_by, pg_get_expr(c.relpartbound, c.oid) AS bound,
      (SELECT string_agg(i.inhparent::regclass::text, ',') FROM pg_inherits i WHERE i.inhrelid = c.oid) AS parent,
      CASE WHEN c.relkind = 'v' THEN pg_get_viewdef(c.oid) END AS query, obj_description(c.oid, 'pg_class')
    FROM pg_class c LEFT JOIN pg_am a ON a.oid = c.relam WHERE c.${IN_SCHEMA}`,
  column: `
    SELECT c.relname, a.attname, row_number() OVER (PARTITION BY c.oid ORDER BY a.attnum) AS place,
      format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull, pg_get_expr(d.adbin, d.adrelid) AS value,
      a.attidentity, a.attgenerated, a.attstorage, a.attcompression,
      a.attcollation::regcollation, a.attstattarget, a.attoptions::text, a.attacl::text
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
    WHERE c.${IN_SCHEMA} AND c.relkind IN ('r', 'p', 'v', 'm', 'c')`,
  constraint: `
    SELECT c.relname, CASE WHEN n.contype <> 'n' THEN n.conname END AS name, n.contype, n.convalidated, n.conislocal,
      n.coninhcount, pg_get_constraintdef(n.oid) AS definition
    FROM pg_constraint n JOIN pg_class c ON c.oid = n.conrelid WHERE c.${IN_SCHEMA}`,
  index: `
    SELECT c.relname AS name, i.indrelid::regclass::text AS relname, pg_get_indexdef(i.indexrelid) AS definition,
      i.indisvalid, i.indisprimary, i.indisclustered, i.indisreplident
    FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE c.${IN_SCHEMA}`,
  trigger: `
    SELECT t.tgrelid::regclass::text AS relname, CASE WHEN NOT t.tgisinternal THEN t.tgname END AS name, -- NULL: of a foreign key
      CASE WHEN NOT t.tgisinternal THEN pg_get_triggerdef(t.oid) END AS definition, t.tgenabled
    FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid WHERE c.${IN_SCHEMA}`,
  function: `
    SELECT p.proname, pg_get_function_arguments(p.oid) AS arguments, pg_get_function_result(p.oid) AS result,
      l.lanname, p.prokind, p.provolatile,
      p.prosecdef, p.proisstrict, p.proparallel, p.proleakproof, p.procost, p.prorows, p.proconfig::text, p.proacl::text,
      ${BODY}
    FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang WHERE p.pronamespace = 'public'::regnamespace`,
  sequence: `
    SELECT c.relname, format_type(s.seqtypid, NULL), s.seqstart, s.seqincrement, s.seqmax, s.seqmin, s.seqcache, s.seqcycle,
      (SELECT concat(d.refobjid::regclass, '.', d.refobjsubid) FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'i') AS owner
    FROM pg_sequence s JOIN pg_class c ON c.oid = s.seqrelid WHERE c.${IN_SCHEMA}`,
  type: `
    SELECT t.typname, t.typtype, format_type(t.typbasetype, t.typtypmod) FROM pg_type t
    WHERE t.typnamespace = 'public'::regnamespace AND t.typname NOT LIKE '%schema\\_migration'`,
  other: `
    SELECT 'extension', extname FROM pg_extension
    UNION ALL SELECT 'policy', polname FROM pg_policy
    UNION ALL SELECT 'rule', rulename FROM pg_rewrite w JOIN pg_class c ON c.oid = w.ev_class WHERE c.${IN_SCHEMA}
    UNION ALL SELECT 'event trigger', evtname FROM pg_event_trigger
    UNION ALL SELECT 'namespace', concat_ws(' ', nspname, nspacl) FROM pg_namespace WHERE nspname !~ '^pg_'
    UNION ALL SELECT 'default privilege', defaclacl::text FROM pg_default_acl
    UNION ALL SELECT 'setting', concat_ws(' ', setdatabase <> 0, setrole <> 0, setconfig) FROM pg_db_role_setting`,
};

/** What the catalogue reports of one kind, by the names of the query above. */
export async function readSchemaRows<Row extends object>(
  database: Database,
  kind: keyof typeof KINDS,
): Promise<Row[]> {
  const { rows } = await database.query<Row>({ text: KINDS[kind] });
  return rows;
}

/** The schema of a database and its rows: one line per fact, in a fixed order. */
export async function readSchemaFacts(database: Database): Promise<string[]> {
  const lines: string[] = [];
  for (const [kind, text] of Object.entries(KINDS)) {
    const { rows } = await database.query<{ fact: string }>({
      text: `SELECT concat_ws(' ', '${kind}', f::text) AS fact FROM (${text}) AS f`,
    });
    lines.push(...rows.map(({ fact }) => fact));
  }
  const { rows: tables } = await database.query<{ name: string }>({
    text: `SELECT c.relname AS name FROM pg_class c WHERE c.${IN_SCHEMA} AND c.relkind = 'r'`,
  });
  for (const { name } of tables) {
    const { rows } = await database.query<{ fact: string }>({
      text: `SELECT 'row ${name} ' || t::text AS fact FROM ${name} AS t`,
    });
    lines.push(...rows.map(({ fact }) => fact));
  }
  return lines.sort();
}
