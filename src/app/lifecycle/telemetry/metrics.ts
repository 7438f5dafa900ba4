import type { HostCheck } from '#http';
import type { Metrics } from '#telemetry';
import { createMetricsServer } from '#http';
import { listen } from '../listen.ts';

export interface ServedMetrics {
  url: string;
  close(): void;
}

/** Serves the metrics until it is closed. */
export async function serveMetrics(
  metrics: Metrics,
  place: { host: string; port: number },
  checkHost: HostCheck,
): Promise<ServedMetrics> {
  const server = createMetricsServer(metrics, checkHost);
  const url = await listen(server, place);
  return {
    url: `${url}/metrics`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
