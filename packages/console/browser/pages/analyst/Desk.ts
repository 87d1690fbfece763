import { type AnswerEvent, type Client, isClientError } from "@tapeline/client"
import type { Language } from "@tapeline/core/specifications"
import { freshKey } from "../../asking/once.ts"
import type { Running } from "./history.ts"
import type { Attached } from "./images.ts"
import { type Live, liveAfter, nothingYet } from "./live.ts"

/** The conversation of a question: an existing one, by its id, or a new one. */
export type Place = number | "new"

/** A question to the analyst. */
export interface Question {
  readonly text: string
  readonly images: ReadonlyArray<Attached>
  /** Undefined to use the language of the question. */
  readonly lang: Language | undefined
  readonly mode: "analyst" | "mentor"
  /** The id of the message with proposals that this question responds to. */
  readonly answers?: number | undefined
}

/** An answer that this page reads, from its request until it is stored in its conversation. */
export interface Session extends Running {
  /** The question; undefined for an answer that was requested elsewhere, or is a regenerated one. */
  readonly question: Question | undefined
  readonly live: Live
  /** `lost`: reading failed and can be continued. `ended`: the answer is shown here because it is stored nowhere. */
  readonly state: "running" | "ended" | "lost"
  /** The error of the client. */
  readonly error: unknown
  /** When a lost answer is retried automatically, in ms since 1970. This happens once per request of the user. */
  readonly goesOnAt: number | undefined
  readonly hasGoneOn: boolean
  /** The idempotency key: the same question sent again is answered once. */
  readonly key: string
  /** True once the service has reported the answer's conversation. */
  readonly isBegun: boolean
  /** Cancels the answer as soon as it has begun; undefined unless the user stopped it before. */
  readonly stop: ((conversation: number) => void) | undefined
}

/** Connects the desk to the cached conversations. */
export interface Shelf {
  /** The answer of a conversation has begun. `question` is defined if this page asked it. */
  readonly begun: (conversation: number, question: Question | undefined) => void
  /** Reads a conversation again. Returns the id of its newest answer after a message, or undefined. */
  readonly settle: (client: Client, conversation: number, after: number) => Promise<number | undefined>
}

/** A longer wait that the service requires, in ms, is reported to the user. Shorter waits are silent. */
const longestWaitMs = 10_000

/** The minimum time between updates of the page, in ms: a browser cannot lay out each word. */
const pauseMs = 40

/** The number of answers whose reasoning and call arguments are kept. */
const mostKept = 50

/**
 * The answers that this page reads. Reading continues when the user opens another page. After a reload, answers are
 * read from their first event.
 */
export class Desk {
  readonly #shelf: Shelf
  readonly #sessions = new Map<Place, Session>()
  readonly #details = new Map<number, Live>()
  readonly #listeners = new Set<() => void>()
  readonly #left = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined
  #begun: number | undefined

  constructor(shelf: Shelf) {
    this.#shelf = shelf
  }

  readonly subscribe = (listener: () => void): () => void => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  readonly session = (place: Place): Session | undefined => this.#sessions.get(place)

  /** The details of an answer that was read here, by its message id. The stored conversation has fewer. */
  readonly details = (message: number): Live | undefined => this.#details.get(message)

  /** The conversation that a new question started, until the user opens it. */
  readonly begun = (): number | undefined => this.#begun

  /** Records that the user has opened a conversation. */
  lookAt(place: Place): void {
    if (this.#begun !== place) return
    this.#begun = undefined
    this.#tell()
  }

  ask(client: Client, place: Place, question: Question, before: number): void {
    this.#send(client, place, { ...fresh(before), question })
  }

  /** Sends an unanswered question again, with the same idempotency key. */
  askAgain(client: Client, place: Place): void {
    const session = this.#sessions.get(place)
    if (session === undefined) return
    this.#send(client, place, { ...session, ...underWay, live: nothingYet })
  }

  /** Regenerates the last answer of a conversation. */
  regenerate(client: Client, conversation: number, before: number): void {
    this.#send(client, conversation, { ...fresh(before), isAgain: true })
  }

  /** Reads the running answer of a conversation: from its first event, or from where it was lost. */
  follow(client: Client, conversation: number, running: Running): void {
    const known = this.#sessions.get(conversation)
    if (known?.state === "running") return
    const session: Session = known?.state === "lost"
      ? { ...known, ...underWay }
      : { ...fresh(running.before), isAgain: running.isAgain, isBegun: true }
    this.#put(conversation, session)
    const events = client.agent.resume(conversation, {
      after: session.live.lastId,
      signal: this.#left.signal,
      longest_wait_ms: longestWaitMs
    })
    void this.#read(client, events, conversation)
  }

  /** Cancels an answer: immediately, or as soon as the service reports its conversation. */
  stop(place: Place, cancel: (conversation: number) => void): void {
    const session = this.#sessions.get(place)
    if (place !== "new" && (session === undefined || session.isBegun)) cancel(place)
    else if (session?.state === "running") this.#put(place, { ...session, stop: cancel })
  }

  /** Removes an answer that is no longer running. */
  dismiss(place: Place): void {
    if (this.#sessions.get(place)?.state === "running") return
    this.#sessions.delete(place)
    this.#tell()
  }

  /** Stops reading. The service continues to write the answers. */
  leave(): void {
    this.#left.abort()
    this.#sessions.clear()
    this.#details.clear()
  }

  #send(client: Client, place: Place, session: Session): void {
    this.#put(place, session)
    const { isAgain, key, question } = session
    const events = client.agent.stream(
      {
        ...(isAgain ? { regenerate: true } : {}),
        ...(question === undefined ? {} : {
          message: question.text,
          images: question.images.map(({ address }) => address),
          mode: question.mode,
          lang: question.lang ?? null,
          ...(question.answers === undefined ? {} : { last_message_id: question.answers })
        }),
        conversation_id: place === "new" ? null : place
      },
      { idempotency_key: key, signal: this.#left.signal, longest_wait_ms: longestWaitMs }
    )
    void this.#read(client, events, place)
  }

  async #read(client: Client, events: AsyncIterable<AnswerEvent>, first: Place): Promise<void> {
    const at = { place: first }
    try {
      for await (const event of events) {
        if (event.kind === "conversation") at.place = this.#begin(at.place, event.data.conversation_id)
        this.#change(at.place, (session) => ({ ...session, live: liveAfter(session.live, event) }))
      }
      if (at.place !== "new") await this.#settle(client, at.place)
    } catch (error) {
      if (this.#left.signal.aborted) return
      this.#lose(client, at.place, error)
    }
  }

  /** Marks an answer as lost. If the service requires a wait, the answer is retried once after the wait. */
  #lose(client: Client, place: Place, error: unknown): void {
    const session = this.#sessions.get(place)
    if (session === undefined) return
    const waitMs = session.hasGoneOn || session.stop !== undefined ? undefined : waitOf(error)
    const goesOnAt = waitMs === undefined ? undefined : Date.now() + waitMs
    const lost: Session = { ...session, state: "lost", error, goesOnAt }
    this.#put(place, lost)
    if (waitMs === undefined) return
    setTimeout(() => {
      // The user may have retried before, or written another question.
      if (this.#sessions.get(place) !== lost) return
      if (lost.isBegun && place !== "new") this.follow(client, place, lost)
      else this.askAgain(client, place)
      this.#change(place, (now) => ({ ...now, hasGoneOn: true }))
    }, waitMs)
  }

  /** Moves the answer of a new conversation to the conversation's id. */
  #begin(place: Place, conversation: number): Place {
    const session = this.#sessions.get(place)
    if (session === undefined) return conversation
    this.#sessions.delete(place)
    this.#sessions.set(conversation, { ...session, isBegun: true, stop: undefined })
    this.#shelf.begun(conversation, session.question)
    session.stop?.(conversation)
    if (place === "new") this.#begun = conversation
    this.#tell()
    return conversation
  }

  /** Hands an ended answer over to its stored conversation. If nothing was stored, the answer stays here. */
  async #settle(client: Client, conversation: number): Promise<void> {
    const session = this.#sessions.get(conversation)
    if (session === undefined) return
    const found = await this.#shelf.settle(client, conversation, session.before)
    const message = session.live.message ?? found
    if (this.#left.signal.aborted) return
    if (message === undefined) this.#sessions.set(conversation, { ...session, state: "ended" })
    else {
      this.#details.set(message, session.live)
      const [oldest] = this.#details.keys()
      if (this.#details.size > mostKept && oldest !== undefined) this.#details.delete(oldest)
      this.#sessions.delete(conversation)
    }
    this.#tell()
  }

  #put(place: Place, session: Session): void {
    this.#sessions.set(place, session)
    this.#tell()
  }

  #change(place: Place, change: (session: Session) => Session): void {
    const session = this.#sessions.get(place)
    if (session === undefined) return
    this.#sessions.set(place, change(session))
    this.#timer ??= setTimeout(() => this.#tell(), pauseMs)
  }

  #tell(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const listener of this.#listeners) listener()
  }
}

/** The maximum wait before an automatic retry, in s. Rate limits count by the minute. */
const longestRest = 120

/** The wait that a `RateLimited` error requires, in ms; undefined for other errors. */
const waitOf = (error: unknown): number | undefined => {
  if (!isClientError(error) || error._tag !== "RateLimited") return undefined
  const { retry_after_seconds: seconds } = error
  return seconds > 0 && seconds <= longestRest ? seconds * 1000 : undefined
}

const underWay = {
  state: "running",
  error: undefined,
  goesOnAt: undefined,
  hasGoneOn: false,
  stop: undefined
} as const

const fresh = (before: number): Session => ({
  before,
  isAgain: false,
  question: undefined,
  live: nothingYet,
  ...underWay,
  key: freshKey(),
  isBegun: false
})
