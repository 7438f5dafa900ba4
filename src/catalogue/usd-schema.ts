import { Type } from 'typebox';

/** A price per unit. */
export const usdSchema = Type.String({ pattern: '^\\d{1,6}(\\.\\d{1,12})?$', description: 'USD per unit.' });
