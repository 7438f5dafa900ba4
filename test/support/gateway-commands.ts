import type { JsonObject } from '#base';
import { type CommandResult, runCommand } from './command-line.ts';

/** Commands on the data of a running gateway. */
export interface GatewayCommands {
  /** Runs `sluice <command> --json`. */
  cli(...args: string[]): Promise<CommandResult>;
  /** The output of a command that must succeed. */
  run(...args: string[]): Promise<JsonObject>;
  /** A new API key; the arguments are those of `sluice keys create`. */
  createKey(...args: string[]): Promise<{ id: string; apiKey: string; authorization: string }>;
}

export function createCommands(dataDir: string, env?: Record<string, string>): GatewayCommands {
  const cli = (...args: string[]) => runCommand([...args, '--json', '--data-dir', dataDir], env);
  const run = async (...args: string[]): Promise<JsonObject> => {
    const { code, json, stderr } = await cli(...args);
    if (code !== 0 || !json) throw new Error(`sluice ${args.join(' ')} left with ${code}: ${stderr}`);
    return json;
  };
  return {
    cli,
    run,
    async createKey(...args) {
      const { id, secret: apiKey } = await run('keys', 'create', ...args);
      if (typeof id !== 'string' || typeof apiKey !== 'string') throw new Error('no key was made');
      return { id, apiKey, authorization: `Bearer ${apiKey}` };
    },
  };
}
