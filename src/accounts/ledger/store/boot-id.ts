import { readFileSync } from 'node:fs';

/** Distinguishes the starts of this machine, where the system does (Linux). */
export function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}
