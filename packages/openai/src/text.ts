const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff

/** Replaces unpaired surrogates with U+FFFD, and removes NUL, which databases reject. */
export const toStorableText = (text: string): string => {
  const wellFormed = text.toWellFormed()
  return wellFormed.includes("\0") ? wellFormed.replaceAll("\0", "") : wellFormed
}

/**
 * Joins the pieces of a text as the pieces arrive. A returned piece never ends between the two units of a surrogate
 * pair.
 */
export class TextAssembler {
  private pending = ""

  add(piece: string): string {
    const text = this.pending + piece
    this.pending = isHighSurrogate(text.charCodeAt(text.length - 1)) ? text.slice(-1) : ""
    return toStorableText(this.pending === "" ? text : text.slice(0, -1))
  }

  /** After the last piece, returns the text that `add` held back. */
  end(): string {
    const pendingText = toStorableText(this.pending)
    this.pending = ""
    return pendingText
  }
}
