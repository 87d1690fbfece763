import type { EventSourceMessage } from "eventsource-parser"
import { Passing } from "../transport/Passing.ts"
import type { SentEvent } from "./AnswerEvent.ts"

const idForm = /^(\d{1,16})-(\d{1,10})$/

/** An event of an answer that another question began: what was followed has ended. */
export const foreign = Symbol("foreign")

/** How much of an answer has been read, and what is expected next. */
export class Progress {
  conversation: number | undefined
  /** The answer's number, once it is known; events of another one are not its. */
  generation: string | undefined
  /** The number of the last event that was read. */
  n = 0
  outcome: "finished" | "cancelled" | "failed" | undefined
  isClosed = false

  /** `after` is the id of the last event that is known already, by which an answer is resumed. */
  constructor(conversation: number | undefined, after: string | undefined) {
    this.conversation = conversation
    const [, generation, n] = idForm.exec(after ?? "") ?? []
    if (after !== undefined && generation === undefined) {
      throw new TypeError("Tapeline client: after must be the id of an event, such as 12-7")
    }
    this.generation = generation
    this.n = Number(n ?? 0)
  }

  get lastId(): string | undefined {
    return this.generation === undefined || this.n === 0 ? undefined : `${this.generation}-${this.n}`
  }

  /**
   * Takes an event that came: gives it as it is handed on, nothing when it was read before, and fails with `Passing`
   * where it cannot be the next one, so that it is asked for again.
   */
  take({ data, event, id }: EventSourceMessage): SentEvent | typeof foreign | undefined {
    const [, generation, number] = idForm.exec(id ?? "") ?? []
    if (generation === undefined) throw new Passing(new Error("an event came without its number"))
    if (this.generation !== undefined && generation !== this.generation) return foreign
    const n = Number(number)
    if (n <= this.n) return undefined
    if (n !== this.n + 1) throw new Passing(new Error(`event ${n} came after event ${this.n}`))
    // Its kind says what its data is, by the service's contract.
    const sent = { kind: event ?? "message", data: parsed(data), id: `${generation}-${n}`, n } as SentEvent
    this.generation = generation
    this.n = n
    if (sent.kind === "conversation") this.conversation = sent.data.conversation_id
    if (sent.kind === "done") this.outcome = sent.data.outcome
    // Only an answer that finished is followed by suggestions.
    this.isClosed = sent.kind === "suggest" || (sent.kind === "done" && sent.data.outcome !== "finished")
    return sent
  }
}

const parsed = (data: string): unknown => {
  try {
    return JSON.parse(data)
  } catch {
    throw new Passing(new Error("an event came whose data is no JSON"))
  }
}
