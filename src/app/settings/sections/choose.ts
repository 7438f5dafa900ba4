import type { Environment } from '../settings.ts';
import type { SettingsProblem } from '../settings-problem.ts';

/** A value and its source. */
export interface SettingCandidate<T> {
  value: T | undefined;
  source: string;
}

/** Collects settings by precedence and records the source of each. */
export class Chooser {
  readonly sources = new Map<string, string>();
  readonly problems: SettingsProblem[] = [];

  /** The first candidate with a value. */
  choose<T>(name: string, candidates: readonly SettingCandidate<T>[], fallback: T): T {
    const found = this.find(name, candidates);
    if (found !== undefined) return found;
    this.sources.set(name, 'default');
    return fallback;
  }

  find<T>(name: string, candidates: readonly SettingCandidate<T>[]): T | undefined {
    for (const { value, source } of candidates) {
      if (value === undefined) continue;
      this.sources.set(name, source);
      return value;
    }
    return undefined;
  }

  /** Reads a text by a rule; an invalid text becomes a problem. */
  read<T>(
    { value, source }: SettingCandidate<string>,
    rule: (text: string) => T | undefined,
    expected: string,
  ): SettingCandidate<T> {
    if (value === undefined || value === '') return { value: undefined, source };
    const result = rule(value);
    if (result === undefined) this.problems.push({ place: source, message: `must be ${expected}` });
    return { value: result, source };
  }
}

/** A variable of the environment; an empty one counts as unset. */
export function readVariable(environment: Environment, name: string): SettingCandidate<string> {
  return { value: environment[name] || undefined, source: name };
}

export function readPort(text: string): number | undefined {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined;
}

export function readFlag(text: string): boolean | undefined {
  if (/^(1|true|yes|on)$/i.test(text)) return true;
  return /^(0|false|no|off)$/i.test(text) ? false : undefined;
}
