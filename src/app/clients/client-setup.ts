/** Where a client is pointed, and what it is told to ask for. */
export interface ClientTarget {
  url: string;
  apiKey: string;
  /** Absent where the client asks for models that are served as they are. */
  model?: string;
}

/** How a client is pointed at this gateway. */
interface ClientSetup {
  /** Environment variables. */
  variables: Record<string, string>;
  /** Variables that would win over them. */
  unset: readonly string[];
  /** Arguments in front of the person's own, where the client reads no variable for it. */
  args: readonly string[];
  /**
   * The same as a configuration file, for people who want it to last. Where the client cannot do without it, `variable`
   * names a file of ours to it.
   */
  file?: { path: string; text: string; variable?: string };
}

/** A client that the command line prepares and starts. */
export interface Client {
  /** Name of its command, ours and its own. */
  name: string;
  title: string;
  /** How it is installed. */
  install: string;
  compose(target: ClientTarget): ClientSetup;
}
