import type { Release } from './fair-turns.ts';

/** How many bytes there may be. */
export interface RoomLimits {
  readonly inAll: number;
  readonly ofCaller: number;
}

/** What one thing takes up; it may grow. */
export interface Share {
  /** Whether there was room for so many bytes more. Without it, nothing changes. */
  grow(bytes: number): boolean;
  readonly release: Release;
}

/**
 * Bytes that are held for callers. What is the only one of its caller, or of all, is never too
 * large; beyond that callers have their limit, and all of them together.
 */
export class Room {
  readonly #limits: RoomLimits;
  readonly #bytesOf = new Map<string, number>();
  #bytesInAll = 0;

  constructor(limits: RoomLimits) {
    this.#limits = limits;
  }

  /** Whether a caller has taken up all its room, or more than `little` of all room while there is none. */
  isFullFor(caller: string, little = 0): boolean {
    const own = this.#bytesOf.get(caller);
    if (own === undefined) return false;
    return own >= this.#limits.ofCaller || (own > little && this.#bytesInAll >= this.#limits.inAll);
  }

  /** @param isForced It gets its room in any case. */
  begin(caller: string, { isForced = false } = {}): Share {
    let size = 0;
    const grow = (bytes: number) => {
      if (!isForced && !this.#fits(caller, size, bytes)) return false;
      size += bytes;
      this.#add(caller, bytes);
      return true;
    };
    const release = () => {
      this.#add(caller, -size);
      size = 0;
    };
    return { grow, release };
  }

  #fits(caller: string, size: number, bytes: number): boolean {
    const { inAll, ofCaller } = this.#limits;
    const own = this.#bytesOf.get(caller) ?? 0;
    const all = this.#bytesInAll;
    return (own === size || own + bytes <= ofCaller) && (all === size || all + bytes <= inAll);
  }

  #add(caller: string, bytes: number): void {
    if (bytes === 0) return;
    this.#bytesInAll += bytes;
    const own = (this.#bytesOf.get(caller) ?? 0) + bytes;
    if (own === 0) this.#bytesOf.delete(caller);
    else this.#bytesOf.set(caller, own);
  }
}
