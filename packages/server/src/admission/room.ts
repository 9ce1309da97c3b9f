import type { Release } from './fair-turns.ts';

/** How many bytes there may be. */
export interface RoomLimits {
  readonly inAll: number;
  readonly ofApplication: number;
  readonly ofCaller: number;
}

/** Whom bytes are held for. */
export interface Holder {
  readonly caller: string;
  /** None of whoever calls without a token, and of the operator. */
  readonly application: string | undefined;
}

/** What one thing takes up; it may grow. */
export interface Share {
  /** Whether there was room for so many bytes more. Without it, nothing changes. */
  grow(bytes: number): boolean;
  readonly release: Release;
}

/**
 * Bytes that are held for callers. What is the only one of its caller, of its application, or of all, is never too
 * large; beyond that callers have their limit, those of an application theirs, and all of them together.
 */
export class Room {
  readonly #limits: RoomLimits;
  readonly #ofCallers = new Map<string, number>();
  readonly #ofApplications = new Map<string, number>();
  #bytesInAll = 0;

  constructor(limits: RoomLimits) {
    this.#limits = limits;
  }

  /**
   * Whether a caller has taken up all its room, or more than `little` of the room of its application, or of all, while
   * there is none.
   */
  isFullFor({ caller, application = '' }: Holder, little = 0): boolean {
    const own = this.#ofCallers.get(caller);
    if (own === undefined) return false;
    const { inAll, ofApplication, ofCaller } = this.#limits;
    const isCrowded =
      this.#bytesInAll >= inAll || (this.#ofApplications.get(application) ?? 0) >= ofApplication;
    return own >= ofCaller || (own > little && isCrowded);
  }

  /** @param isForced It gets its room in any case. */
  begin(holder: Holder, { isForced = false } = {}): Share {
    let size = 0;
    const grow = (bytes: number) => {
      if (!isForced && !this.#fits(holder, size, bytes)) return false;
      size += bytes;
      this.#add(holder, bytes);
      return true;
    };
    const release = () => {
      this.#add(holder, -size);
      size = 0;
    };
    return { grow, release };
  }

  #fits({ caller, application = '' }: Holder, size: number, bytes: number): boolean {
    const { inAll, ofApplication, ofCaller } = this.#limits;
    // What takes up all that is taken is the only one.
    const isWithin = (taken: number, most: number) => taken === size || taken + bytes <= most;
    return (
      isWithin(this.#ofCallers.get(caller) ?? 0, ofCaller) &&
      isWithin(this.#ofApplications.get(application) ?? size, ofApplication) &&
      isWithin(this.#bytesInAll, inAll)
    );
  }

  #add({ caller, application }: Holder, bytes: number): void {
    if (bytes === 0) return;
    this.#bytesInAll += bytes;
    add(this.#ofCallers, caller, bytes);
    if (application !== undefined) add(this.#ofApplications, application, bytes);
  }
}

function add(held: Map<string, number>, name: string, bytes: number): void {
  const sum = (held.get(name) ?? 0) + bytes;
  if (sum === 0) held.delete(name);
  else held.set(name, sum);
}
