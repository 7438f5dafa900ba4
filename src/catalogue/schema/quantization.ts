import { Type } from 'typebox';

/** The precisions of weights that OpenRouter distinguishes; `unknown` stands for an offer without a known one. */
const QUANTIZATIONS = [
  'int4',
  'int8',
  'fp4',
  'mxfp4',
  'nvfp4',
  'fp6',
  'fp8',
  'mxfp8',
  'fp16',
  'bf16',
  'fp32',
] as const;

export type Quantization = (typeof QUANTIZATIONS)[number];

export const quantizationSchema = Type.Enum([...QUANTIZATIONS], {
  description: 'The precision of the weights, such as fp8. Default: unknown.',
});

/** The values that requests and rules may name. */
export const NAMED_QUANTIZATIONS = [...QUANTIZATIONS, 'unknown'] as const;
