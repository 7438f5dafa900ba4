import type { Command } from 'commander';
import type { Finding } from '#app';
import { diagnose } from '#app';
import { type CommonOptions, defineCommand, toOrigin } from '../terminal/command.ts';
import { print } from '../terminal/output.ts';

const MARKS: Record<Finding['state'], string> = { ok: '✔', warning: '!', problem: '✖' };

export function createDoctorCommand(): Command {
  return defineCommand({
    name: 'doctor',
    summary: 'Check the installation and report problems with their remedies. Exits with 1 if there is one.',
    examples: ['doctor', 'doctor --data-dir /srv/sluice'],
  }).action(async (options: CommonOptions) => {
    const findings = await diagnose(toOrigin(options));
    const ok = findings.every(({ state }) => state !== 'problem');
    if (!ok) process.exitCode = 1;
    print(options, { ok, findings }, () =>
      findings.map(({ name, state, message }) => `${MARKS[state]} ${name}: ${message}`),
    );
  });
}
