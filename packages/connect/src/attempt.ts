const KEY = 'patchbay-connect-attempt';
const BYTES = 32;

let made: string | undefined;

/** A random text by which the service knows this tab again where it lost the answer to opening a link, also once it is loaded anew. */
export function attemptOfTab(): string {
  made ??= kept() ?? keep(random());
  return made;
}

function random(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  const base64 = btoa(String.fromCharCode(...bytes));
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/* A browser that lets nothing be kept throws: then what was made is good until the page is loaded anew. */

function kept(): string | undefined {
  try {
    return sessionStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}

function keep(attempt: string): string {
  try {
    sessionStorage.setItem(KEY, attempt);
  } catch {
    return attempt;
  }
  return attempt;
}
