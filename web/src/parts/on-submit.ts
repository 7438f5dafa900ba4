/** The handler of a form: the page stays, and `act` runs. */
export const onSubmit =
  (act: () => void) =>
  (event: { preventDefault(): void }): void => {
    event.preventDefault();
    act();
  };
