import { BRACKET_STYLE, compileCheck } from '../../body/check-body.ts';
import { toProtocolName } from '../members.ts';
import { geminiRequestSchema, unroutedRequestSchema } from '../schema.ts';

const STYLE = { ...BRACKET_STYLE, findAlias: toProtocolName };

/** Refuses a body that its schema does not describe, by path. */
export const checkRequest = compileCheck(geminiRequestSchema, STYLE);

/** The same where no URL names the model. */
export const checkUnrouted = compileCheck(unroutedRequestSchema, STYLE);
