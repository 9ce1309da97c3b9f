/** Appends numbers to a list, each of a record's only once. Faster than a Set of as many. */
export class DistinctNumbers {
  readonly list: number[] = [];
  /** Open addressing; what an earlier record left behind bears another stamp. */
  #slots = new Float64Array(1_024);
  #stamps = new Uint32Array(1_024);
  #stamp = 1;
  /** Where the numbers of this record begin in the list. */
  #begin = 0;

  /** Begins another record. */
  next(): void {
    this.#stamp++;
    this.#begin = this.list.length;
  }

  add(value: number): void {
    if (!this.#insert(value)) return;
    this.list.push(value);
    if (2 * (this.list.length - this.#begin) > this.#slots.length) this.#grow();
  }

  #insert(value: number): boolean {
    const mask = this.#slots.length - 1;
    let slot = value & mask;
    while (this.#stamps[slot] === this.#stamp) {
      if (this.#slots[slot] === value) return false;
      slot = (slot + 1) & mask;
    }
    this.#stamps[slot] = this.#stamp;
    this.#slots[slot] = value;
    return true;
  }

  #grow(): void {
    this.#slots = new Float64Array(2 * this.#slots.length);
    this.#stamps = new Uint32Array(this.#slots.length);
    for (let index = this.#begin; index < this.list.length; index++) {
      this.#insert(this.list[index] ?? 0);
    }
  }
}
