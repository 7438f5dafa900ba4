import { compileCheck } from '../../body/check-body.ts';
import { countRequestSchema } from '../schema.ts';

/** Refuses a body that its schema does not describe, by path. */
export const checkRequest = compileCheck(countRequestSchema, {
  positions: 'dots',
  complain: (expected, value, noted) =>
    value === undefined ? 'field required' : (noted ?? `must be ${expected}`),
});
