import { isObject, itemsOf } from './read-field.ts';
import type { Members } from './unchecked.ts';

/** The keywords of a JSON Schema that are read or written; any other is carried. */
export interface JsonSchema {
  $schema: string;
  $id: string;
  $comment: string;
  $ref: string;
  $defs: Record<string, JsonSchema>;
  definitions: Record<string, JsonSchema>;
  type: string | string[];
  title: string;
  description: string;
  format: string;
  pattern: string;
  enum: unknown[];
  const: unknown;
  nullable: boolean;
  properties: Record<string, JsonSchema>;
  additionalProperties: JsonSchema | boolean;
  required: string[];
  propertyOrdering: string[];
  items: JsonSchema | JsonSchema[];
  prefixItems: JsonSchema[];
  anyOf: JsonSchema[];
  oneOf: JsonSchema[];
  allOf: JsonSchema[];
  minItems: number;
  maxItems: number;
  minLength: number;
  maxLength: number;
  minProperties: number;
  maxProperties: number;
  minimum: number;
  maximum: number;
  exclusiveMinimum: number;
  exclusiveMaximum: number;
  multipleOf: number;
  uniqueItems: boolean;
  default: unknown;
}

/** A schema in a request. */
export type RawSchema = Members<JsonSchema>;

/** Whether a schema allows an object, by its type or by its properties. */
export function isObjectSchema({ type, properties }: RawSchema): boolean {
  return type === 'object' || itemsOf(type).includes('object') || isObject(properties);
}
