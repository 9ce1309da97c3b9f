import { createContext, use } from 'react';

/** Which application an operator works in, and how to work in another one. */
export interface ApplicationChoice {
  readonly chosenId: string | undefined;
  readonly choose: (id: string) => void;
}

export const ChosenApplication = createContext<ApplicationChoice | undefined>(undefined);

/** `undefined` where an application is signed in, which works in itself. */
export function useApplicationChoice(): ApplicationChoice | undefined {
  return use(ChosenApplication);
}
