import { readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parse } from 'yaml';
import type { TSchema, Static } from 'typebox';
import { findFault, fitsSchema, namePlace, reasonOf } from '#base';
import type { CatalogueFiles, ModelFile } from '../schema/file-schema.ts';
import { modelFileSchema, providerFileSchema } from '../schema/file-schema.ts';
import { CatalogueError } from './build-catalogue.ts';
import { findClosestNames } from '../names/closest-names.ts';

/** Reads and validates every YAML file of a catalogue directory. Throws CatalogueError naming the file and the field. */
export function readCatalogueFiles(dir: string): CatalogueFiles {
  const checkProvider = createCheck(providerFileSchema);
  const checkModel = createCheck(modelFileSchema);
  return {
    providers: listYaml(join(dir, 'providers')).map((path) => readEntry(path, checkProvider)),
    models: listYaml(join(dir, 'models')).map((path) => readModel(path, checkModel)),
  };
}

function listYaml(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((entry) => entry.endsWith('.yaml'))
    .sort()
    .map((entry) => join(dir, entry));
}

type Check<T> = (path: string, value: unknown) => T;

function createCheck<S extends TSchema>(schema: S): Check<Static<S>> {
  return (path, value) => {
    if (fitsSchema(schema, value)) return value;
    throw new CatalogueError(`${path}: ${describeFault(schema, value)}`);
  };
}

/** The first fault of a value, with the place of the field; all missing fields of an object are one fault. */
export function describeFault(schema: TSchema, value: unknown): string {
  const { path = [], message = 'is not valid', missing, allowed, known } = findFault(schema, value) ?? {};
  const places = (missing ?? []).map((field) => namePlace(value, [...path, field]));
  if (places.length > 1) return `${places.join(', ')} are required`;
  const place = places[0] ?? namePlace(value, path);
  const complaint = allowed ? `must be one of ${allowed.join(', ')}` : message;
  return `${place === '' ? 'the file' : place} ${complaint}${known ? suggest(path.at(-1), known) : ''}`;
}

function suggest(unknown = '', known: readonly string[]): string {
  const [closest] = findClosestNames(unknown, known);
  return closest === undefined ? `; known are ${known.join(', ')}` : `; did you mean ${closest}?`;
}

function readEntry<T extends { id: string }>(path: string, check: Check<T>): T {
  const entry = check(path, parseYaml(path, readFileSync(path, 'utf8')));
  const named = basename(path, '.yaml');
  if (entry.id !== named)
    throw new CatalogueError(`${path}: id is ${entry.id}, but the file is named ${named}`);
  return entry;
}

function readModel(path: string, check: Check<ModelFile>): ModelFile {
  const model = readEntry(path, check);
  const folder = basename(dirname(path));
  if (model.family !== folder)
    throw new CatalogueError(`${path}: family is ${model.family}, but its folder is ${folder}`);
  return model;
}

function parseYaml(path: string, text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw new CatalogueError(`${path}: ${reasonOf(error)}`);
  }
}
