import { type AnswerEvent, textAfter } from "@tapeline/client"

/** An answer on something that only takes more text, as a terminal does: what was written stays. */
export class Page {
  #text = ""
  readonly #write: (text: string) => void

  constructor(write: (text: string) => void) {
    this.#write = write
  }

  /** Writes what an event brings. Where it cuts the answer back, what follows begins on a line of its own. */
  show(event: AnswerEvent): void {
    const after = textAfter(this.#text, event)
    if (after === this.#text) return
    if (after.startsWith(this.#text)) {
      this.#write(after.slice(this.#text.length))
    } else {
      let same = 0
      while (same < after.length && after[same] === this.#text[same]) same++
      this.#write(`\n[again] ${after.slice(same)}`)
    }
    this.#text = after
  }
}
