import type { EventSourceMessage } from "eventsource-parser"
import { RetryableFailure } from "../transport/retries.ts"
import type { StreamedEvent } from "./AnswerEvent.ts"

const eventIdPattern = /^(\d{1,16})-(\d{1,10})$/

/** Marks an event of an answer to another question. The followed answer has ended. */
export const otherGeneration = Symbol("foreign")

/** Tracks which events of an answer have been read, and checks the next one. */
export class AnswerProgress {
  conversation: number | undefined
  /** The generation's id, once known. Events of other generations do not belong to the answer. */
  generation: string | undefined
  /** The number of the last event that was read. */
  lastNumber = 0
  outcome: "finished" | "cancelled" | "failed" | undefined
  isClosed = false

  /** `after` is the id of the last known event. It resumes an answer. */
  constructor(conversation: number | undefined, after: string | undefined) {
    this.conversation = conversation
    const [, generation, n] = eventIdPattern.exec(after ?? "") ?? []
    if (after !== undefined && generation === undefined) {
      throw new TypeError("Tapeline client: after must be the id of an event, such as 12-7")
    }
    this.generation = generation
    this.lastNumber = Number(n ?? 0)
  }

  get lastEventId(): string | undefined {
    return this.generation === undefined || this.lastNumber === 0 ? undefined : `${this.generation}-${this.lastNumber}`
  }

  /**
   * Takes the next event and returns it in its public form. Returns undefined if the event was read before, and
   * `foreign` if it belongs to another answer. Throws `RetryableFailure` if the event cannot be the next one, so that
   * the client requests it again.
   */
  accept({ data, event, id }: EventSourceMessage): StreamedEvent | typeof otherGeneration | undefined {
    const [, generation, number] = eventIdPattern.exec(id ?? "") ?? []
    if (generation === undefined) throw new RetryableFailure(new Error("an event has no number"))
    if (this.generation !== undefined && generation !== this.generation) return otherGeneration
    const n = Number(number)
    if (n <= this.lastNumber) return undefined
    if (n !== this.lastNumber + 1) {
      throw new RetryableFailure(new Error(`event ${n} arrived after event ${this.lastNumber}`))
    }
    // The service's contract defines the data of each kind.
    const accepted = { kind: event ?? "message", data: parseData(data), id: `${generation}-${n}`, n } as StreamedEvent
    this.generation = generation
    this.lastNumber = n
    if (accepted.kind === "conversation") this.conversation = accepted.data.conversation_id
    if (accepted.kind === "done") this.outcome = accepted.data.outcome
    // Only a finished answer is followed by suggestions.
    this.isClosed = accepted.kind === "suggest" || (accepted.kind === "done" && accepted.data.outcome !== "finished")
    return accepted
  }
}

const parseData = (data: string): unknown => {
  try {
    return JSON.parse(data)
  } catch {
    throw new RetryableFailure(new Error("the data of an event is not JSON"))
  }
}
