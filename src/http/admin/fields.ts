import { type TSchema, Type } from 'typebox';

export const orNull = <Schema extends TSchema>(schema: Schema, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });

/** Amounts and times in responses. */
export const usdShape = Type.String({ description: 'USD, an exact decimal.' });
export const timeShape = Type.String({ description: 'ISO 8601, UTC.' });
