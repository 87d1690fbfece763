const isHigh = (code: number): boolean => code >= 0xd800 && code <= 0xdbff

/** Makes a text valid everywhere: replaces unpaired surrogates with U+FFFD, and removes NUL, which databases reject. */
export const sound = (text: string): string => {
  const whole = text.toWellFormed()
  return whole.includes("\0") ? whole.replaceAll("\0", "") : whole
}

/** Joins a text that arrives in pieces, which may be cut within a surrogate pair. Its own pieces are not. */
export class Pieces {
  private held = ""

  /** Returns the text that can be passed on so far; empty if nothing can be passed on yet. */
  add(piece: string): string {
    const text = this.held + piece
    this.held = isHigh(text.charCodeAt(text.length - 1)) ? text.slice(-1) : ""
    return sound(this.held === "" ? text : text.slice(0, -1))
  }

  /** Returns the text that was held back, once no piece follows. */
  end(): string {
    const rest = sound(this.held)
    this.held = ""
    return rest
  }
}
