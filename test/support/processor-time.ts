/** Processor time that passes in this process meanwhile, in milliseconds: a busy machine does not make it longer. */
export async function measureProcessorMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
