import type { Mapping } from './catalogue.ts';
import type { Operation } from './schema/file-schema.ts';

const USUAL: readonly Operation[] = ['generations'];

/** The operations a mapping supports. */
export function operationsOf({ operations = USUAL }: Pick<Mapping, 'operations'>): readonly Operation[] {
  return operations;
}

export function supportsOperation(mapping: Pick<Mapping, 'operations'>, operation: Operation): boolean {
  return operationsOf(mapping).includes(operation);
}
