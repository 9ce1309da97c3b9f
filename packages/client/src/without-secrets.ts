/** Shorter texts are no secrets, and taking them out would change what the answer says. */
const MIN_SECRET_LENGTH = 8;

/** The text with each of the secrets taken out, however JSON has escaped it. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .flatMap((secret) => [secret, escaped(secret), escaped(escaped(secret))])
    .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
    .reduce((left, secret) => left.replaceAll(secret, '[secret]'), text);
}

/** The text as JSON escapes it; applied twice, for JSON text that is a string inside JSON text. */
function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
