import { Type } from 'typebox';

/** An amount of money for one unit. */
export const usdSchema = Type.String({ pattern: '^\\d{1,6}(\\.\\d{1,12})?$', description: 'USD per unit.' });
