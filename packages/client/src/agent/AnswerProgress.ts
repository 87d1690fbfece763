import type { EventSourceMessage } from "eventsource-parser"
import { RetryableFailure } from "../transport/retries.ts"
import type { StreamedEvent } from "./AnswerEvent.ts"

const eventIdPattern = /^(\d{1,16})-(\d{1,10})$/

/** Marks an event of another answer in the same conversation, which means that the followed answer has ended. */
export const otherGeneration = Symbol("foreign")

/** Tracks which events of an answer have been read, and validates the next event. */
export class AnswerProgress {
  conversation: number | undefined
  generation: string | undefined
  lastNumber = 0
  outcome: "finished" | "cancelled" | "failed" | undefined
  isClosed = false

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
   * Returns the public form of an event. Returns undefined for an event that was already read, and `otherGeneration`
   * for an event of another answer.
   *
   * @throws `RetryableFailure` if the event is invalid or earlier events are missing, so that the client requests the
   * events again.
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
    // The cast is safe because the API defines the data of each kind of answer event.
    const accepted = { kind: event ?? "message", data: parseData(data), id: `${generation}-${n}`, n } as StreamedEvent
    this.generation = generation
    this.lastNumber = n
    if (accepted.kind === "conversation") this.conversation = accepted.data.conversation_id
    if (accepted.kind === "done") this.outcome = accepted.data.outcome
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
