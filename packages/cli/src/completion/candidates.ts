import {
  allKinds,
  describeKind,
  findKind,
  type ConnectorKind,
} from '@patchbay/connectors/definitions';
import type { Command, Option } from 'commander';

/** A word that may come next, with what it means. */
export interface Candidate {
  readonly word: string;
  readonly about: string;
}

/** What may come next: words, or the name of a file. */
interface Completion {
  readonly candidates: readonly Candidate[];
  readonly takesFile: boolean;
}

const NOTHING: Completion = { candidates: [], takesFile: false };

/**
 * What may stand in the place of the last word. It is made from the commands themselves and from the
 * definitions of the kinds, so it is never behind them; nothing is asked of a service.
 *
 * @param words Those after `patchbay`, the last one being typed.
 */
export function complete(program: Command, words: readonly string[]): Completion {
  const typed = words.at(-1) ?? '';
  const place = placeOf(program, words.slice(0, -1));
  const { candidates, takesFile } = completionAt(place, typed);
  return { candidates: candidates.filter(({ word }) => word.startsWith(typed)), takesFile };
}

/** Where in the command line something is completed. */
interface Place {
  readonly command: Command;
  /** Words before that are neither commands nor options nor values of options. */
  readonly given: readonly string[];
  /** The option whose value comes next. */
  readonly option: Option | undefined;
  readonly kinds: readonly ConnectorKind[];
}

function placeOf(program: Command, words: readonly string[]): Place {
  let command = program;
  let option: Option | undefined;
  let kinds: readonly ConnectorKind[] = allKinds();
  const given: string[] = [];
  for (const word of words) {
    // A value that may be left out has been left out when another option follows.
    if (option !== undefined && !(option.optional && word.startsWith('-'))) {
      if (option.long === '--kind') kinds = kindsNamed(word) ?? kinds;
      option = undefined;
    } else if (word.startsWith('-')) {
      const found = optionsOf(command).find(({ short, long }) => word === short || word === long);
      option = found !== undefined && (found.required || found.optional) ? found : undefined;
    } else {
      const subcommand = command.commands.find((each) => each.name() === word);
      if (subcommand === undefined) given.push(word);
      else command = subcommand;
    }
  }
  return { command, given, option, kinds };
}

function completionAt({ command, given, option, kinds }: Place, typed: string): Completion {
  if (option !== undefined) return valuesOf(option);
  if (typed.startsWith('-'))
    return wordsOnly(
      optionsOf(command).map(({ long, description }) => ({ word: long ?? '', about: description })),
    );
  const subcommands = command.createHelp().visibleCommands(command);
  if (subcommands.length > 0 && given.length === 0)
    return wordsOnly(subcommands.map((each) => ({ word: each.name(), about: each.description() })));
  const argument = command.registeredArguments[given.length];
  if (argument === undefined) return NOTHING;
  if (argument.argChoices !== undefined)
    return wordsOnly(argument.argChoices.map((word) => ({ word, about: '' })));
  return namesFor(argument.name(), { entity: given[0], kinds });
}

function valuesOf({ long, argChoices, flags }: Option): Completion {
  if (argChoices !== undefined) return wordsOnly(argChoices.map((word) => ({ word, about: '' })));
  if (long === '--kind') return wordsOnly(kindCandidates());
  return { candidates: [], takesFile: /[<[]file[>\]]/.test(flags) };
}

function namesFor(
  argument: string,
  {
    entity,
    kinds,
  }: { readonly entity: string | undefined; readonly kinds: readonly ConnectorKind[] },
): Completion {
  switch (argument) {
    case 'file':
      return { candidates: [], takesFile: true };
    case 'kind':
      return wordsOnly(kindCandidates());
    case 'entity':
      return wordsOnly(
        kinds.flatMap((kind) =>
          Object.values(kind.entities).map(({ name, doc }) => ({ word: name, about: doc })),
        ),
      );
    case 'action':
      return wordsOnly(kinds.flatMap((kind) => actionCandidates(kind, entity)));
    default:
      return NOTHING;
  }
}

function actionCandidates(kind: ConnectorKind, entityName: string | undefined): Candidate[] {
  const entity = describeKind(kind).entities.find(({ name }) => name === entityName);
  return (entity?.actions ?? []).map(({ name, doc }) => ({ word: name, about: doc }));
}

function kindCandidates(): readonly Candidate[] {
  return allKinds().flatMap(({ kind, aliases, displayName }) =>
    [...aliases, kind].map((word) => ({ word, about: displayName })),
  );
}

function kindsNamed(name: string): readonly ConnectorKind[] | undefined {
  try {
    return [findKind(name)];
  } catch {
    // Not a kind yet: it may be half typed.
    return undefined;
  }
}

function optionsOf(command: Command): readonly Option[] {
  return command.createHelp().visibleOptions(command);
}

/** Kinds may have entities of the same name; each word comes once. */
function wordsOnly(candidates: readonly Candidate[]): Completion {
  const byWord = new Map(candidates.toReversed().map((each) => [each.word, each]));
  return { candidates: [...byWord.values()].toReversed(), takesFile: false };
}
