import { Text, Tooltip } from '@mantine/core';
import { formatBeside, formatShare, isShortened, shortenBeside, shortenUsd, writeUsd } from './format.ts';

/**
 * An amount; if it is shortened, pointing at it or focusing it shows every digit. `beside` is one that it is read with, such as
 * its limit: only equal amounts look equal.
 */
export function Usd({ exact, beside }: { exact: string; beside?: string }) {
  const text = beside === undefined ? shortenUsd(exact) : shortenBeside(exact, beside);
  if (!isShortened(exact)) return <span className="figures">{text}</span>;
  return (
    <Tooltip label={writeUsd(exact)} events={{ hover: true, focus: true, touch: true }}>
      <Text span inherit tabIndex={0} className="figures">
        {text}
      </Text>
    </Tooltip>
  );
}

/** A part of an amount, such as what is spent of a limit. */
export function UsdOf({ part, whole }: { part: string; whole: string }) {
  return (
    <>
      <Usd exact={part} beside={whole} /> of <Usd exact={whole} />
    </>
  );
}

/** An amount with every digit. */
export function WholeUsd({ exact }: { exact: string }) {
  return <span className="figures">{writeUsd(exact)}</span>;
}

/** A time in the viewer's zone, with UTC beside: its date only if that differs. */
export function Moment({ iso }: { iso: string }) {
  const { local, utc } = formatBeside(iso);
  return (
    <time dateTime={iso} className={utc === 'UTC' ? 'moment' : ''}>
      <span className="moment">{local}</span>{' '}
      <Text span size="xs" className="quiet moment">
        {utc}
      </Text>
    </time>
  );
}

/** A part of 1 as a percentage; pointing at it shows every digit. */
export function Share({ of }: { of: number | null }) {
  return of === null ? '–' : <span title={`${of * 100} %`}>{formatShare(of)}</span>;
}
