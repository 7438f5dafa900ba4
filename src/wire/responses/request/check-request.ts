import { BRACKET_STYLE, compileCheck } from '../../body/check-body.ts';
import { inputSchema } from '../item-schema.ts';
import { joinedRequestSchema } from '../schema.ts';

/** Refuses a body that its schema does not describe, by path. */
export const checkRequest = compileCheck(joinedRequestSchema, BRACKET_STYLE);

/** The same for the input alone. */
export const checkInput = compileCheck(inputSchema, BRACKET_STYLE);
