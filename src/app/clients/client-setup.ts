/** The gateway and model a client is configured for. */
export interface ClientTarget {
  url: string;
  apiKey: string;
  /** Absent if the client's default models are served. */
  model?: string;
}

/** The configuration that points a client at this gateway. */
interface ClientSetup {
  /** Environment variables. */
  variables: Record<string, string>;
  /** Variables that would take precedence. */
  unset: readonly string[];
  /** Arguments before the user's own, if the client has no variable for them. */
  args: readonly string[];
  /**
   * The same as a permanent configuration file. `variable` passes the path of our own copy to clients that need a
   * file.
   */
  file?: { path: string; text: string; variable?: string };
}

/** A client that the command line configures and starts. */
export interface Client {
  /** The name of the client's program and of our command. */
  name: string;
  title: string;
  /** The command that installs it. */
  install: string;
  compose(target: ClientTarget): ClientSetup;
}
