import { useState } from 'react';

/** A form that replaces the button that opens it; as it closes, the button has the focus again. */
export function useOpened() {
  const [isOpen, setOpen] = useState<boolean>();
  return {
    isOpen: isOpen === true,
    close: () => setOpen(false),
    opener: { autoFocus: isOpen === false, onClick: () => setOpen(true) },
  };
}
