import { useMediaQuery } from '@mantine/hooks';

/** Whether the screen is narrower than 600 px. */
export const useNarrow = (): boolean =>
  useMediaQuery('(max-width: 599px)', undefined, { getInitialValueInEffect: false });
