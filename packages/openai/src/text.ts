const isHigh = (code: number): boolean => code >= 0xd800 && code <= 0xdbff

/**
 * A text as it may go anywhere: what stands for half a character is U+FFFD, and NUL, which databases refuse, is left
 * out.
 */
export const sound = (text: string): string => {
  const whole = text.toWellFormed()
  return whole.includes("\0") ? whole.replaceAll("\0", "") : whole
}

/** A text that comes in pieces which may be cut within a surrogate pair. No piece that it gives is. */
export class Pieces {
  private held = ""

  /** What may be given on of all that has come; empty when that is nothing yet. */
  add(piece: string): string {
    const text = this.held + piece
    this.held = isHigh(text.charCodeAt(text.length - 1)) ? text.slice(-1) : ""
    return sound(this.held === "" ? text : text.slice(0, -1))
  }

  /** What was held back, once nothing follows. */
  end(): string {
    const rest = sound(this.held)
    this.held = ""
    return rest
  }
}
