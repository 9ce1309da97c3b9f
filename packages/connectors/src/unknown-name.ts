import { quote } from './json-value.ts';
import { ConnectorError, type Fault } from './errors.ts';
import { nearestName } from './nearest-name.ts';

/** The error for an entity that a kind does not have. */
export function unknownEntity(
  kindName: string,
  given: string,
  allowed: readonly string[],
): ConnectorError<'unknown_entity'> {
  const didYouMean = nearestName(given, allowed);
  const hint =
    didYouMean === undefined ? `it has ${allowed.join(', ')}` : `did you mean "${didYouMean}"?`;
  return new ConnectorError(
    'unknown_entity',
    { allowed, ...(didYouMean === undefined ? {} : { didYouMean }) },
    { message: `${kindName} has no entity ${quote(given)}; ${hint}` },
  );
}

/** The error for an action that an entity does not have. */
export function unsupportedAction(
  entityName: string,
  given: string,
  allowed: readonly string[],
): ConnectorError<'unsupported_action'> {
  const didYouMean = nearestName(given, allowed);
  const hint = didYouMean === undefined ? '' : ` Did you mean "${didYouMean}"?`;
  return new ConnectorError(
    'unsupported_action',
    { entity: entityName, allowed, ...(didYouMean === undefined ? {} : { didYouMean }) },
    {
      message: `${entityName} has no action ${quote(given)}; it has ${allowed.join(', ')}.${hint}`,
    },
  );
}

/** A name that is none of those that there are. */
export function unknownName(field: string, name: string, names: readonly string[]): Fault {
  const nearest = nearestName(name, names);
  const allowed = names.length === 0 ? 'none' : names.join(', ');
  const hint = nearest === undefined ? `; allowed: ${allowed}` : `; did you mean "${nearest}"?`;
  return {
    field,
    errorCode: 'unknown',
    message: `is not known${hint}`,
    allowed,
    ...(nearest === undefined ? {} : { didYouMean: nearest }),
  };
}
