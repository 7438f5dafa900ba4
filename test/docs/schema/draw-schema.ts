import { drawTable } from '../generated-page.ts';
import type { Column, Part, Relation, Routine, Schema } from './read-schema.ts';
import type { Source, Sources } from './read-sources.ts';

/** An object on the page: its statements, and where they come from. */
interface Drawn {
  name: string;
  source: Source;
  lines: readonly string[];
}

/** What a migration creates, as it is now. */
interface Section {
  migration: string;
  introduction: readonly string[];
  objects: readonly Drawn[];
  functions: readonly Routine[];
}

/** One section per migration that creates something: what it says, its tables as they are now, its functions. */
export function drawSchema(schema: Schema, sources: Sources): string {
  const sections = listSections(schema, sources);
  return [drawContents(sections), ...sections.map((section) => drawSection(section, sources))].join('\n\n');
}

function listSections(schema: Schema, sources: Sources): Section[] {
  const places = new Map([...sources.objects.keys()].map((name, place) => [name, place]));
  const placeOf = (name: string): number => places.get(name) ?? Infinity;
  const objects = listDrawn(schema, sources).toSorted((a, b) => placeOf(a.name) - placeOf(b.name));
  const functions = schema.functions.toSorted((a, b) => placeOf(nameOf(a)) - placeOf(nameOf(b)));
  const objectsOf = Map.groupBy(objects, ({ source }) => source.migration);
  const functionsOf = Map.groupBy(functions, (one) => getSource(sources, nameOf(one)).migration);
  return [...sources.introductions]
    .map(([migration, introduction]) => ({
      migration,
      introduction,
      objects: objectsOf.get(migration) ?? [],
      functions: functionsOf.get(migration) ?? [],
    }))
    .filter((section) => section.objects.length + section.functions.length > 0);
}

const nameOf = ({ proname }: Routine): string => `function ${proname}`;

function drawContents(sections: readonly Section[]): string {
  const rows = sections.map(({ migration, objects, functions }) => [
    `[${migration}](#${migration})`,
    objects.map(({ name }) => `\`${name.replace('table ', '')}\``).join(', '),
    functions.length > 0 ? String(functions.length) : '',
  ]);
  return drawTable(['migration', 'creates', 'functions'], rows);
}

function drawSection({ migration, introduction, objects, functions }: Section, sources: Sources): string {
  return [
    `## ${migration}`,
    ...(introduction.length > 0 ? [introduction.join('\n')] : []),
    ...drawObjects(objects),
    ...drawFunctions(functions, sources),
  ].join('\n\n');
}

function drawObjects(drawn: readonly Drawn[]): string[] {
  const blocks = drawn.map(({ source, lines }) => [...drawComment(source, ''), ...lines].join('\n'));
  return blocks.length === 0 ? [] : [`\`\`\`sql\n${blocks.join('\n\n')}\n\`\`\``];
}

function drawFunctions(functions: readonly Routine[], sources: Sources): string[] {
  if (functions.length === 0) return [];
  const rows = functions.map((one) => [
    `\`${one.proname}(${shorten(one.arguments)})\``,
    `\`${shorten(one.result)}\``,
    getSource(sources, nameOf(one)).comment.join(' '),
  ]);
  return [drawTable(['function', 'returns', ''], rows)];
}

function listDrawn(schema: Schema, sources: Sources): Drawn[] {
  const draw = (name: string, lines: readonly string[]): Drawn => ({
    name,
    source: getSource(sources, name),
    lines,
  });
  return [
    ...schema.relations.flatMap((relation) => {
      const { relname, relkind, query } = relation;
      if (relkind === 'v') return [draw(`view ${relname}`, [`CREATE VIEW ${relname} AS`, query ?? ''])];
      if (relkind === 'c') return [draw(`type ${relname}`, drawType(schema, relname))];
      return relkind === 'r' || relkind === 'p'
        ? [draw(`table ${relname}`, drawTableOf(schema, relation, sources))]
        : [];
    }),
    ...schema.sequences
      .filter(({ owner }) => owner === null)
      .map(({ relname }) => draw(`sequence ${relname}`, [`CREATE SEQUENCE ${relname};`])),
  ];
}

function drawType({ columns }: Schema, relname: string): string[] {
  const members = columns.filter((column) => column.relname === relname);
  return [
    `CREATE TYPE ${relname} AS (${members.map(({ attname, type }) => `${attname} ${shorten(type)}`).join(', ')});`,
  ];
}

function drawTableOf(schema: Schema, relation: Relation, sources: Sources): string[] {
  const { relname, relpersistence, reloptions, partitioned_by: key, parent, bound } = relation;
  if (parent !== null) return [`CREATE TABLE ${relname} PARTITION OF ${parent} ${bound ?? ''};`];
  const isOwn = (part: { relname: string }): boolean => part.relname === relname;
  const members = [
    ...schema.columns
      .filter(isOwn)
      .map((column) => [
        ...drawComment(sources.objects.get(`column ${relname}.${column.attname}`), '  '),
        `  ${drawColumn(column)}`,
      ]),
    ...schema.constraints
      .filter(isOwn)
      .map(({ name, definition }) => [`  CONSTRAINT ${name ?? ''} ${definition}`]),
  ];
  const options = `${key === null ? '' : ` PARTITION BY ${key}`}${reloptions === null ? '' : ` WITH (${reloptions.slice(1, -1)})`}`;
  return [
    `CREATE ${relpersistence === 'u' ? 'UNLOGGED ' : ''}TABLE ${relname} (`,
    ...members.flatMap((lines, index) =>
      index < members.length - 1 ? [...lines.slice(0, -1), `${lines.at(-1) ?? ''},`] : lines,
    ),
    `)${options};`,
    ...drawParts('index', schema.indexes.filter(isOwn), sources),
    ...drawParts('trigger', schema.triggers.filter(isOwn), sources),
  ];
}

function drawColumn({
  attname,
  type,
  value,
  attnotnull,
  attidentity,
  attgenerated,
  attstorage,
}: Column): string {
  const words = [
    attname,
    shorten(type),
    attidentity === '' ? '' : `GENERATED ${attidentity === 'a' ? 'ALWAYS' : 'BY DEFAULT'} AS IDENTITY`,
    value === null
      ? ''
      : attgenerated === ''
        ? `DEFAULT ${shorten(value)}`
        : `GENERATED ALWAYS AS (${value}) STORED`,
    attnotnull ? 'NOT NULL' : '',
    attstorage === 'e' ? 'STORAGE EXTERNAL' : '',
  ];
  return words.filter((word) => word !== '').join(' ');
}

function drawParts(kind: 'index' | 'trigger', parts: readonly Part[], { objects }: Sources): string[] {
  return parts.flatMap(({ name, definition }) => [
    ...drawComment(objects.get(`${kind} ${name ?? ''}`), ''),
    `${shorten(definition)};`,
  ]);
}

function drawComment(source: Source | undefined, indent: string): string[] {
  if (!source) return [];
  const { comment, changes } = source;
  const lines = changes.length > 0 ? [...comment, `Changed in ${changes.join(', ')}.`] : comment;
  return lines.map((line) => `${indent}-- ${line}`.trimEnd());
}

function getSource({ objects }: Sources, name: string): Source {
  const found = objects.get(name);
  if (!found) throw new Error(`no migration creates the ${name}`);
  return found;
}

/** Names that everyone uses in place of the standard's, and no schema. */
function shorten(text: string): string {
  return text
    .replaceAll('timestamp with time zone', 'timestamptz')
    .replaceAll('character varying', 'varchar')
    .replaceAll(' USING btree', '')
    .replaceAll(/ ON (?:ONLY )?public\./g, ' ON ');
}
