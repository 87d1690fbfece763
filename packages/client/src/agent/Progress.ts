import type { EventSourceMessage } from "eventsource-parser"
import { Passing } from "../transport/Passing.ts"
import type { SentEvent } from "./AnswerEvent.ts"

const idForm = /^(\d{1,16})-(\d{1,10})$/

/** Marks an event of an answer to another question. The followed answer has ended. */
export const foreign = Symbol("foreign")

/** Tracks which events of an answer have been read, and checks the next one. */
export class Progress {
  conversation: number | undefined
  /** The generation's id, once known. Events of other generations do not belong to the answer. */
  generation: string | undefined
  /** The number of the last event that was read. */
  n = 0
  outcome: "finished" | "cancelled" | "failed" | undefined
  isClosed = false

  /** `after` is the id of the last known event. It resumes an answer. */
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
   * Takes the next event and returns it in its public form. Returns undefined if the event was read before, and
   * `foreign` if it belongs to another answer. Throws `Passing` if the event cannot be the next one, so that the client
   * requests it again.
   */
  take({ data, event, id }: EventSourceMessage): SentEvent | typeof foreign | undefined {
    const [, generation, number] = idForm.exec(id ?? "") ?? []
    if (generation === undefined) throw new Passing(new Error("an event came without its number"))
    if (this.generation !== undefined && generation !== this.generation) return foreign
    const n = Number(number)
    if (n <= this.n) return undefined
    if (n !== this.n + 1) throw new Passing(new Error(`event ${n} came after event ${this.n}`))
    // The service's contract defines the data of each kind.
    const sent = { kind: event ?? "message", data: parsed(data), id: `${generation}-${n}`, n } as SentEvent
    this.generation = generation
    this.n = n
    if (sent.kind === "conversation") this.conversation = sent.data.conversation_id
    if (sent.kind === "done") this.outcome = sent.data.outcome
    // Only a finished answer is followed by suggestions.
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
