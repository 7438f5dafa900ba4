import type { SettingCandidate, Chooser } from './choose.ts';
import type { Environment, SettingsFlags } from '../settings.ts';
import type { SettingsFile } from '../schemas/settings-schema.ts';

/** Where the settings of a gateway come from. */
export interface SettingsSources {
  flags: SettingsFlags;
  environment: Environment;
  content: SettingsFile;
  /** The place of a value in the file. */
  locate(...path: string[]): string;
  chooser: Chooser;
}

type Value<Values, Name extends keyof Values> = NonNullable<Values[Name]>;

/** A section of the configuration file. Flags and variables take precedence over its values. */
export class SettingsSection<Values extends object> {
  readonly #sources: Pick<SettingsSources, 'chooser' | 'locate'>;
  readonly #name: string;
  readonly #values: Partial<Values>;

  constructor(
    sources: Pick<SettingsSources, 'chooser' | 'locate'>,
    name: string,
    values: Values | undefined,
  ) {
    this.#sources = sources;
    this.#name = name;
    this.#values = values ?? {};
  }

  /** A value of the file and its place there. */
  get<Name extends keyof Values & string>(name: Name): SettingCandidate<Value<Values, Name>> {
    const source = this.#sources.locate(...this.#name.split('.'), name);
    return { value: this.#values[name] ?? undefined, source };
  }

  choose<Name extends keyof Values & string, Fallback>(
    name: Name,
    fallback: Fallback,
    overrides: readonly SettingCandidate<Value<Values, Name>>[] = [],
  ): Value<Values, Name> | Fallback {
    const candidates = [...overrides, this.get(name)];
    return this.#sources.chooser.choose<Value<Values, Name> | Fallback>(
      `${this.#name}.${name}`,
      candidates,
      fallback,
    );
  }

  find<Name extends keyof Values & string>(
    name: Name,
    overrides: readonly SettingCandidate<Value<Values, Name>>[] = [],
  ): Value<Values, Name> | undefined {
    return this.#sources.chooser.find(`${this.#name}.${name}`, [...overrides, this.get(name)]);
  }
}
