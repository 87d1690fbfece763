import { type AnswerEvent, applyEvent } from "@tapeline/client"

/** Writes an answer to an output that only appends, such as a terminal. */
export class Page {
  #text = ""
  readonly #write: (text: string) => void

  constructor(write: (text: string) => void) {
    this.#write = write
  }

  /** Writes the text of an event, on a new line if the event shortens the answer. */
  show(event: AnswerEvent): void {
    const after = applyEvent(this.#text, event)
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
