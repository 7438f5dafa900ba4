import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';

/**
 * Loaded into a measured process: SIGUSR2 starts sampling allocations, the next one writes the profile to the file
 * named in the environment. Includes objects already collected.
 */
const SAMPLE_EVERY_BYTES = 8_192;
const file = process.env['ALLOCATION_PROFILE'] ?? '';
let session: Session | undefined;

process.on('SIGUSR2', () => {
  if (!session) {
    session = new Session();
    session.connect();
    session.post('HeapProfiler.startSampling', {
      samplingInterval: SAMPLE_EVERY_BYTES,
      includeObjectsCollectedByMajorGC: true,
      includeObjectsCollectedByMinorGC: true,
    });
    return;
  }
  session.post('HeapProfiler.stopSampling', (_error, { profile }) => {
    writeFileSync(file, JSON.stringify(profile));
  });
  session.disconnect();
  session = undefined;
});
