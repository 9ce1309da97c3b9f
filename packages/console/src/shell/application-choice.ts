/** The application that an operator works with in this tab; its id is no secret. */
const KEY = 'patchbay.application';

export function rememberedApplication(): string | undefined {
  return sessionStorage.getItem(KEY) ?? undefined;
}

export function rememberApplication(id: string): void {
  sessionStorage.setItem(KEY, id);
}

export function forgetApplication(): void {
  sessionStorage.removeItem(KEY);
}
