import { ServiceError } from '../service-error.ts';
import { readSecretFile, type SecretSource } from '../vault/secret-file.ts';
import { newOperatorKey, OPERATOR_KEY_EXPECTS, parseOperatorKey } from './operator-key.ts';

/** Where the operator's key comes from. */
export type OperatorKeySource = SecretSource<string>;

/** Where a start with the embedded database leaves the key that it makes: beside the data folder. */
export function operatorKeyPath(dataFolder: string): string {
  return `${dataFolder}.operator.key`;
}

/**
 * The operator's key that the configuration names; a file of our own is made where there is none.
 *
 * @param warn Told of what is not refused, but should be mended.
 * @throws ServiceError `operator_key_unusable`, also where others may read a file of our own.
 */
export async function loadOperatorKey(
  source: OperatorKeySource,
  warn: (problem: string) => void = () => undefined,
): Promise<string> {
  if (source.from === 'environment') return source.key;
  const { path, mayCreate, isNamedByOperator = false } = source;
  const text = await readSecretFile({
    path,
    noun: "operator's key",
    code: 'operator_key_unusable',
    variable: 'PATCHBAY_OPERATOR_KEY',
    make: mayCreate ? newOperatorKey : undefined,
    missing: 'is missing',
    onReadable: isNamedByOperator ? warn : undefined,
  });
  const key = parseOperatorKey(text);
  if (key !== undefined) return key;
  throw new ServiceError(
    'operator_key_unusable',
    `The file ${path} holds no operator's key: it must be ${OPERATOR_KEY_EXPECTS}.`,
  );
}
