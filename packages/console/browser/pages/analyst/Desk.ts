import { type AnswerEvent, type Client, isClientError } from "@tapeline/client"
import type { Language } from "@tapeline/core/specifications"
import { freshKey } from "../../asking/once.ts"
import type { Running } from "./history.ts"
import type { Attached } from "./images.ts"
import { type Live, liveAfter, nothingYet } from "./live.ts"

/** Where a question is asked: in a conversation that there is, or in a new one. */
export type Place = number | "new"

/** A question as it is asked. */
export interface Question {
  readonly text: string
  readonly images: ReadonlyArray<Attached>
  /** Undefined: the language of the question. */
  readonly lang: Language | undefined
  readonly mode: "analyst" | "mentor"
  /** The message that it answers, where that proposed something. */
  readonly answers?: number | undefined
}

/** An answer that is read here, from when it is asked for until it stands in its conversation. */
export interface Session extends Running {
  /** What is asked; undefined of an answer that was asked for elsewhere, or again. */
  readonly question: Question | undefined
  readonly live: Live
  /** `lost` was given up, and can be gone on with; `ended` stands here because nothing of it is kept anywhere. */
  readonly state: "running" | "ended" | "lost"
  /** What the client failed with. */
  readonly error: unknown
  /** When a lost one goes on by itself, in ms since 1970; that it does once for each time that somebody asks. */
  readonly goesOnAt: number | undefined
  readonly hasGoneOn: boolean
  /** The same question sent once more is answered once. */
  readonly key: string
  /** True once the service has said where it keeps the answer. */
  readonly isBegun: boolean
  /** Stops the answer as soon as it has begun; undefined unless that was asked for before. */
  readonly stop: ((conversation: number) => void) | undefined
}

/** What the desk has of the page: where an answer is looked for once it is over. */
export interface Shelf {
  /** The answer of a conversation has begun. `question` is defined if this page asked it. */
  readonly begun: (conversation: number, question: Question | undefined) => void
  /** Reads a conversation anew; gives the id of its newest answer after a message, if there is one. */
  readonly settle: (client: Client, conversation: number, after: number) => Promise<number | undefined>
}

/** A wait of more ms than this that the service asks for is told, and not waited out without a word. */
const longestWaitMs = 10_000

/** Readers are told no more often than this, in ms: a browser has more to do than to lay out each word. */
const pauseMs = 40

/** As many answers are remembered with their reasoning and the arguments of their calls. */
const mostKept = 50

/**
 * The answers that this page reads. They are read on whichever page is looked at; a page that is loaded again reads
 * them from their first event.
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

  /** What came of an answer while it was read here, by its message: more than its conversation tells. */
  readonly details = (message: number): Live | undefined => this.#details.get(message)

  /** The conversation that a question has begun, until somebody looks at it. */
  readonly begun = (): number | undefined => this.#begun

  /** Somebody looks at a conversation. */
  lookAt(place: Place): void {
    if (this.#begun !== place) return
    this.#begun = undefined
    this.#tell()
  }

  ask(client: Client, place: Place, question: Question, before: number): void {
    this.#send(client, place, { ...fresh(before), question })
  }

  /** Sends a question again that was not answered, as the same one. */
  askAgain(client: Client, place: Place): void {
    const session = this.#sessions.get(place)
    if (session === undefined) return
    this.#send(client, place, { ...session, ...underWay, live: nothingYet })
  }

  /** Has the last question of a conversation answered once more. */
  regenerate(client: Client, conversation: number, before: number): void {
    this.#send(client, conversation, { ...fresh(before), isAgain: true })
  }

  /** Reads the answer that runs in a conversation: from its first event, or on from where it was lost. */
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

  /** Stops the answer of a place: at once, or as soon as the service says where it keeps the answer. */
  stop(place: Place, cancel: (conversation: number) => void): void {
    const session = this.#sessions.get(place)
    if (place !== "new" && (session === undefined || session.isBegun)) cancel(place)
    else if (session?.state === "running") this.#put(place, { ...session, stop: cancel })
  }

  /** Forgets what stands here of an answer that is over. */
  dismiss(place: Place): void {
    if (this.#sessions.get(place)?.state === "running") return
    this.#sessions.delete(place)
    this.#tell()
  }

  /** Reads nothing any more. The answers are written on. */
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

  /** Where the service says how long to wait, that is waited, once, and gone on with. */
  #lose(client: Client, place: Place, error: unknown): void {
    const session = this.#sessions.get(place)
    if (session === undefined) return
    const waitMs = session.hasGoneOn || session.stop !== undefined ? undefined : waitOf(error)
    const goesOnAt = waitMs === undefined ? undefined : Date.now() + waitMs
    const lost: Session = { ...session, state: "lost", error, goesOnAt }
    this.#put(place, lost)
    if (waitMs === undefined) return
    setTimeout(() => {
      // Somebody may have pressed before, or written something else.
      if (this.#sessions.get(place) !== lost) return
      if (lost.isBegun && place !== "new") this.follow(client, place, lost)
      else this.askAgain(client, place)
      this.#change(place, (now) => ({ ...now, hasGoneOn: true }))
    }, waitMs)
  }

  /** The answer of a new conversation is that conversation's from then on. */
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

  /** What is over stands in its conversation, and is shown from there; what is not, stands here. */
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

/** The plan's requests are counted by the minute; a longer wait, in s, is none that a page sits out. */
const longestRest = 120

/** What a minute's requests that are used up ask to be waited, in ms; undefined of what else goes wrong. */
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
