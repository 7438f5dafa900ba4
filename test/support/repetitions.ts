/** How often a random test repeats: a quarter of its usual number in `npm test`, all of them otherwise. */
export function repetitions(usual: number): number {
  return process.env['TEST_REPETITIONS'] === 'few' ? Math.ceil(usual / 4) : usual;
}
