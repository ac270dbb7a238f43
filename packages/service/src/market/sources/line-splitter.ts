const NEWLINE = 0x0a;

/**
 * Cuts a stream of bytes into lines without their ends. Bytes, not text: a chunk may end in the middle of a
 * character. A line past the limit is given up and counted; what is held is never more than one line.
 */
export class LineSplitter {
  readonly #bytesMax: number;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #tooLong = false;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** The lines that this piece completes; `null` stands for one that was too long. Empty lines are left out. */
  push(piece: Buffer): (Buffer | null)[] {
    const lines: (Buffer | null)[] = [];
    let start = 0;
    for (let end = piece.indexOf(NEWLINE); end !== -1; end = piece.indexOf(NEWLINE, start)) {
      this.#hold(piece.subarray(start, end));
      const line = this.#take();
      if (line === null || line.length > 0) lines.push(line);
      start = end + 1;
    }
    // Copied, because the piece's memory belongs to the socket's larger buffer.
    if (start < piece.length) this.#hold(Buffer.from(piece.subarray(start)));
    return lines;
  }

  #hold(part: Buffer): void {
    if (!this.#tooLong && this.#heldBytes + part.length <= this.#bytesMax) {
      this.#held.push(part);
      this.#heldBytes += part.length;
      return;
    }
    this.#tooLong = true;
    this.#held = [];
    this.#heldBytes = 0;
  }

  #take(): Buffer | null {
    const line = this.#tooLong
      ? null
      : trimmed(this.#held.length === 1 && this.#held[0] ? this.#held[0] : Buffer.concat(this.#held));
    this.#held = [];
    this.#heldBytes = 0;
    this.#tooLong = false;
    return line;
  }
}

/** Without the carriage return of a line that ends in two characters. */
function trimmed(line: Buffer): Buffer {
  return line.at(-1) === 0x0d ? line.subarray(0, -1) : line;
}
