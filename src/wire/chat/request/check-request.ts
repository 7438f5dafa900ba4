import { BRACKET_STYLE, compileCheck } from '../../body/check-body.ts';
import { chatRequestSchema } from '../schema.ts';

/** Refuses a body that its schema does not describe, by path. */
export const checkRequest = compileCheck(chatRequestSchema, BRACKET_STYLE);
