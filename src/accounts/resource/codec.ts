import { encodeFields, encodeList } from '#fields';
import type { JsonObject } from '#base';
import type { Page } from '../page.ts';
import type { Operation, OperationCall, Resource } from './resource.ts';

/** The result of an operation, and the JSON that HTTP sends and commands print. */
export interface OperationResult {
  /** The record or records; the id of a deleted record. */
  result: unknown;
  json: JsonObject;
}

/** Runs an operation by its name. */
export async function perform<Ports>(
  resource: Resource<Ports>,
  name: string,
  call: OperationCall<Ports>,
): Promise<OperationResult> {
  const operation = resource.operations[name];
  if (!operation) throw new Error(`a ${resource.name} has no operation ${name}`);
  const found = await operation.run(call);
  const { kind } = operation;
  if (kind === 'list' || kind === 'page')
    return encodeRecords(resource, operation, { found: found as unknown[], page: call.page });
  const result = kind === 'deleted' ? { id: call.id, ...(found as object | undefined) } : found;
  return { result, json: encodeAnswer(resource, operation, result) };
}

/** A page is read with one record more than it shows, which is how `has_more` is known. */
function encodeRecords(
  resource: Resource,
  operation: Operation,
  { found, page: { limit = found.length + 1 } }: { found: unknown[]; page: Page },
): OperationResult {
  const all = found.map((each) => encodeOne(resource, operation, each));
  return { result: found.slice(0, limit - 1), json: encodeList(all, limit - 1) };
}

function encodeAnswer(resource: Resource, operation: Operation, result: unknown): JsonObject {
  const { kind, fields = {} } = operation;
  if (kind === 'deleted') {
    const id = pick(result, 'id') as string;
    return { object: resource.name, id, deleted: true, ...encodeFields(fields, result) };
  }
  const answer = encodeOne(resource, operation, result);
  return kind === 'secret' ? { secret: pick(result, 'secret') as string, ...answer } : answer;
}

function encodeOne(resource: Resource, operation: Operation, record: unknown): JsonObject {
  const { name, fields } = { ...resource, ...(operation.fields && { fields: operation.fields }) };
  const id = pick(record, 'id');
  return {
    object: name,
    ...(typeof id === 'string' && { id }),
    ...encodeFields(fields, record),
  };
}

/** A member of a record by its name. */
const pick = (record: unknown, name: string): unknown => (record as { [name: string]: unknown })[name];
