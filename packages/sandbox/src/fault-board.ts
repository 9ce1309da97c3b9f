import { parseFault } from './fault-parsing.ts';
import type {
  ActiveFault,
  Fault,
  FaultControl,
  FaultHandle,
  FaultKind,
  FaultOf,
} from './faults.ts';

/** What a fault needs to know of a call to decide whether it meets it. */
export interface FaultTarget {
  readonly method: string;
  readonly token: string | undefined;
  /** The method answers in pages. */
  readonly pages: boolean;
  /** The method changes something. */
  readonly writes: boolean;
  /** The method answers with the address of a file that lies elsewhere. */
  readonly redirects?: boolean;
  /** The method answers with a page for people. */
  readonly showsPage?: boolean;
}

/** The faults that one call meets, by the stage at which each takes effect. */
export interface FaultPlan {
  readonly delaysMs: readonly number[];
  readonly hangs: readonly Hang[];
  /** The first fault that replaces the answer or the connection; at most one can. */
  readonly replacement: FaultOf<ReplacingKind> | undefined;
  readonly truncation: FaultOf<'truncate'> | undefined;
  /** Faults in the content, for the upstream itself to build. */
  readonly shaping: readonly Shaping[];
}

/** A call held until the fault is released. */
export interface Hang {
  readonly afterApplying: boolean;
  readonly released: Promise<'released' | 'closed'>;
}

/** A fault in the content, with the memory it keeps between calls. */
export interface Shaping {
  readonly fault: FaultOf<ShapingKind>;
  readonly memory: Map<string, string>;
}

const REPLACING_KINDS = [
  'rateLimit',
  'serverError',
  'htmlBody',
  'cutConnection',
  'oversize',
] as const satisfies readonly FaultKind[];
type ReplacingKind = (typeof REPLACING_KINDS)[number];

type ShapingKind = Exclude<FaultKind, ReplacingKind | 'delay' | 'hang' | 'truncate'>;

/** The faults of one sandbox: the control that users hold, and the plan that serving asks for. */
export class FaultBoard implements FaultControl {
  readonly #faults = new Map<string, BoardFault>();
  #nextId = 1;

  add(fault: Fault): FaultHandle {
    const checked = parseFault(fault);
    const id = `fault-${String(this.#nextId)}`;
    this.#nextId += 1;
    const entry = new BoardFault(id, checked, () => this.#faults.delete(id));
    this.#faults.set(id, entry);
    return entry;
  }

  list(): readonly ActiveFault[] {
    return [...this.#faults.values()].map((entry) => entry.describe());
  }

  remove(id: string): boolean {
    const entry = this.#faults.get(id);
    entry?.release();
    return entry !== undefined;
  }

  clear(): void {
    for (const entry of this.#faults.values()) entry.release();
  }

  /** Ends every hang without an answer, for a sandbox that closes. */
  close(): void {
    for (const entry of this.#faults.values()) entry.end('closed');
  }

  /** The faults that meet this call, which count it as met; undefined when no fault is set. */
  plan(target: FaultTarget): FaultPlan | undefined {
    if (this.#faults.size === 0) return undefined;
    const delaysMs: number[] = [];
    const hangs: Hang[] = [];
    const shaping: Shaping[] = [];
    let replacement: FaultOf<ReplacingKind> | undefined;
    let truncation: FaultOf<'truncate'> | undefined;
    for (const entry of this.#faults.values()) {
      const { fault } = entry;
      // Only one fault can replace the answer: a later one is not used up by this call.
      if (isReplacing(fault) && replacement !== undefined) continue;
      if (fault.kind === 'truncate' && truncation !== undefined) continue;
      if (!entry.meets(target)) continue;
      if (isReplacing(fault)) replacement = fault;
      else if (fault.kind === 'truncate') truncation = fault;
      else if (fault.kind === 'delay') delaysMs.push(fault.delayMs);
      else if (fault.kind === 'hang') hangs.push(entry.hang(fault.afterApplying === true));
      else shaping.push({ fault, memory: entry.memory });
    }
    return { delaysMs, hangs, replacement, truncation, shaping };
  }
}

class BoardFault implements FaultHandle {
  readonly id: string;
  readonly fault: Fault;
  readonly memory = new Map<string, string>();
  readonly #forget: () => void;
  readonly #end = Promise.withResolvers<'released' | 'closed'>();
  readonly #watchers: { readonly count: number; readonly resolve: () => void }[] = [];
  #hits = 0;
  #toSkip: number;
  #seen = 0;

  constructor(id: string, fault: Fault, forget: () => void) {
    this.id = id;
    this.fault = fault;
    this.#forget = forget;
    this.#toSkip = fault.skip ?? 0;
  }

  get hits(): number {
    return this.#hits;
  }

  release(): void {
    this.end('released');
  }

  end(how: 'released' | 'closed'): void {
    this.#forget();
    this.#end.resolve(how);
  }

  whenHit(count = 1): Promise<void> {
    if (this.#hits >= count) return Promise.resolve();
    return new Promise((resolve) => {
      this.#watchers.push({ count, resolve });
    });
  }

  hang(afterApplying: boolean): Hang {
    return { afterApplying, released: this.#end.promise };
  }

  describe(): ActiveFault {
    const { fault } = this;
    const shown =
      fault.kind === 'revokeToken' && fault.token !== undefined
        ? { ...fault, token: '[token]' }
        : fault;
    const remaining = fault.times === undefined ? null : fault.times - this.#hits;
    return { id: this.id, fault: shown, hits: this.#hits, remaining };
  }

  /** Says whether the call is caught, and counts it if so. */
  meets(target: FaultTarget): boolean {
    const { fault } = this;
    if (fault.times !== undefined && this.#hits >= fault.times) return false;
    if (fault.method !== undefined && fault.method !== target.method) return false;
    if (!suits(fault, target)) return false;
    if (this.#toSkip > 0) {
      this.#toSkip -= 1;
      return false;
    }
    this.#seen += 1;
    if (this.#seen % (fault.every ?? 1) !== 0) return false;
    this.#hits += 1;
    for (const watcher of this.#watchers) if (this.#hits >= watcher.count) watcher.resolve();
    // A spent hang may still hold calls, so it stays until it is released.
    if (this.#hits === fault.times && fault.kind !== 'hang') this.#forget();
    return true;
  }
}

function isReplacing(fault: Fault): fault is FaultOf<ReplacingKind> {
  return REPLACING_KINDS.some((kind) => kind === fault.kind);
}

/** A fault that cannot show in a call is not used up by it. */
function suits(fault: Fault, target: FaultTarget): boolean {
  switch (fault.kind) {
    case 'repeatCursor':
    case 'mutateWhilePaging':
      return target.pages;
    case 'bareWrites':
      return target.writes;
    case 'redirect':
      return target.redirects === true;
    case 'cutOpener':
      return target.showsPage === true;
    case 'revokeToken':
      return fault.token === undefined || fault.token === target.token;
    case 'rateLimit':
    case 'serverError':
    case 'htmlBody':
    case 'truncate':
    case 'cutConnection':
    case 'delay':
    case 'hang':
    case 'oversize':
    case 'unknownFields':
    case 'arrayBody':
    case 'upstreamError':
    case 'slackError':
      return true;
  }
}
