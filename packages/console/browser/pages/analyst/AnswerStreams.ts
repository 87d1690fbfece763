import { type AnswerEvent, type Client, isClientError } from "@tapeline/client"
import type { Language } from "@tapeline/core/specifications"
import { randomKey } from "../../requests/idempotencyKeys.ts"
import type { RunningAnswer } from "./history.ts"
import type { AttachedImage } from "./images.ts"
import { applyEvent, emptyAnswer, type LiveAnswer } from "./liveAnswer.ts"

/** The conversation to which a question belongs: the id of an existing conversation, or `new`. */
export type ConversationTarget = number | "new"

export interface Question {
  readonly text: string
  readonly images: ReadonlyArray<AttachedImage>
  /** The language of the answer; undefined for the language of the question. */
  readonly lang: Language | undefined
  readonly mode: "analyst" | "mentor"
  /** The id of the message whose proposed changes the question accepts or declines. */
  readonly answers?: number | undefined
}

/**
 * An answer that the page is reading. An `AnswerSession` lasts from the request until the conversation contains the
 * stored answer.
 */
export interface AnswerSession extends RunningAnswer {
  /** The question of the answer; undefined for a regenerated answer and for an answer that another page requested. */
  readonly question: Question | undefined
  readonly live: LiveAnswer
  /**
   * The state of reading an answer: `running`; `lost` if reading failed and can be continued; `ended` if the answer
   * ended without being stored.
   */
  readonly state: "running" | "ended" | "lost"
  readonly error: unknown
  /** The time of the automatic retry of a lost answer, in ms since 1970. */
  readonly retryAt: number | undefined
  readonly hasRetried: boolean
  readonly key: string
  readonly isStarted: boolean
  /**
   * The action that cancels the answer as soon as the answer has begun. Undefined unless the user pressed stop before
   * the answer began.
   */
  readonly stop: ((conversation: number) => void) | undefined
}

export interface ConversationCache {
  /** Called when the answer of a conversation begins. `question` is undefined if another page asked the question. */
  readonly onStarted: (conversation: number, question: Question | undefined) => void
  /**
   * Reads a conversation again. Returns the id of the newest answer after the message `after`, or undefined if no such
   * answer exists.
   */
  readonly settle: (client: Client, conversation: number, after: number) => Promise<number | undefined>
}

/** The maximum wait requested by the service, in ms, for which the page shows no message. */
const maxSilentWaitMs = 10_000

/**
 * The minimum time between two updates of the page, in ms, because browsers cannot render every received word
 * separately.
 */
const minUpdateIntervalMs = 40

/** The number of stored answers whose reasoning and tool arguments the page keeps in memory. */
const maxDetails = 50

/** Reads running answers of the analyst. Reading continues while the user visits other pages of the console. */
export class AnswerStreams {
  readonly #cache: ConversationCache
  readonly #sessions = new Map<ConversationTarget, AnswerSession>()
  readonly #details = new Map<number, LiveAnswer>()
  readonly #listeners = new Set<() => void>()
  readonly #closed = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined
  #startedConversation: number | undefined

  constructor(cache: ConversationCache) {
    this.#cache = cache
  }

  readonly subscribe = (listener: () => void): () => void => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  readonly session = (target: ConversationTarget): AnswerSession | undefined => this.#sessions.get(target)

  /**
   * Returns the reasoning and the tool calls of an answer that the page has read as a stream. The stored message of an
   * answer contains fewer details than the stream.
   */
  readonly details = (message: number): LiveAnswer | undefined => this.#details.get(message)

  /**
   * Returns the id of the conversation that a new question has started. Returns undefined after the user has opened the
   * conversation.
   */
  readonly startedConversation = (): number | undefined => this.#startedConversation

  markOpened(target: ConversationTarget): void {
    if (this.#startedConversation !== target) return
    this.#startedConversation = undefined
    this.#notify()
  }

  ask(client: Client, target: ConversationTarget, question: Question, before: number): void {
    this.#send(client, target, { ...newSession(before), question })
  }

  /** Sends an unanswered question again with an unchanged idempotency key. */
  askAgain(client: Client, target: ConversationTarget): void {
    const session = this.#sessions.get(target)
    if (session === undefined) return
    this.#send(client, target, { ...session, ...runningState, live: emptyAnswer })
  }

  regenerate(client: Client, conversation: number, before: number): void {
    this.#send(client, conversation, { ...newSession(before), isRegeneration: true })
  }

  /** Reads the running answer of a conversation, from the first event or from the last received event. */
  follow(client: Client, conversation: number, running: RunningAnswer): void {
    const existing = this.#sessions.get(conversation)
    if (existing?.state === "running") return
    const session: AnswerSession = existing?.state === "lost"
      ? { ...existing, ...runningState }
      : { ...newSession(running.newestMessageId), isRegeneration: running.isRegeneration, isStarted: true }
    this.#put(conversation, session)
    const events = client.agent.resume(conversation, {
      after: session.live.lastId,
      signal: this.#closed.signal,
      max_wait_ms: maxSilentWaitMs
    })
    void this.#read(client, events, conversation)
  }

  /** Cancels an answer, as soon as the service has reported the answer's conversation. */
  stop(target: ConversationTarget, cancel: (conversation: number) => void): void {
    const session = this.#sessions.get(target)
    if (target !== "new" && (session === undefined || session.isStarted)) cancel(target)
    else if (session?.state === "running") this.#put(target, { ...session, stop: cancel })
  }

  dismiss(target: ConversationTarget): void {
    if (this.#sessions.get(target)?.state === "running") return
    this.#sessions.delete(target)
    this.#notify()
  }

  /** Stops reading all answers. The service continues to write and store the answers that the page no longer reads. */
  close(): void {
    this.#closed.abort()
    this.#sessions.clear()
    this.#details.clear()
  }

  #send(client: Client, target: ConversationTarget, session: AnswerSession): void {
    this.#put(target, session)
    const { isRegeneration, key, question } = session
    const events = client.agent.stream(
      {
        ...(isRegeneration ? { regenerate: true } : {}),
        ...(question === undefined ? {} : {
          message: question.text,
          images: question.images.map(({ dataUrl }) => dataUrl),
          mode: question.mode,
          lang: question.lang ?? null,
          ...(question.answers === undefined ? {} : { last_message_id: question.answers })
        }),
        conversation_id: target === "new" ? null : target
      },
      { idempotency_key: key, signal: this.#closed.signal, max_wait_ms: maxSilentWaitMs }
    )
    void this.#read(client, events, target)
  }

  async #read(client: Client, events: AsyncIterable<AnswerEvent>, first: ConversationTarget): Promise<void> {
    const position = { place: first }
    try {
      for await (const event of events) {
        if (event.kind === "conversation") {
          position.place = this.#onConversation(position.place, event.data.conversation_id)
        }
        this.#change(position.place, (session) => ({ ...session, live: applyEvent(session.live, event) }))
      }
      if (position.place !== "new") await this.#settle(client, position.place)
    } catch (error) {
      if (this.#closed.signal.aborted) return
      this.#markLost(client, position.place, error)
    }
  }

  /** Marks an answer as lost after reading failed, and retries once if the service's error requires a wait. */
  #markLost(client: Client, target: ConversationTarget, error: unknown): void {
    const session = this.#sessions.get(target)
    if (session === undefined) return
    const waitMs = session.hasRetried || session.stop !== undefined ? undefined : rateLimitWaitMs(error)
    const retryAt = waitMs === undefined ? undefined : Date.now() + waitMs
    const lostSession: AnswerSession = { ...session, state: "lost", error, retryAt }
    this.#put(target, lostSession)
    if (waitMs === undefined) return
    setTimeout(() => {
      // The client does not retry if the user has already retried or has asked another question.
      if (this.#sessions.get(target) !== lostSession) return
      if (lostSession.isStarted && target !== "new") this.follow(client, target, lostSession)
      else this.askAgain(client, target)
      this.#change(target, (now) => ({ ...now, hasRetried: true }))
    }, waitMs)
  }

  /** Moves the answer of a new conversation from `new` to the id of the conversation. */
  #onConversation(target: ConversationTarget, conversation: number): ConversationTarget {
    const session = this.#sessions.get(target)
    if (session === undefined) return conversation
    this.#sessions.delete(target)
    this.#sessions.set(conversation, { ...session, isStarted: true, stop: undefined })
    this.#cache.onStarted(conversation, session.question)
    session.stop?.(conversation)
    if (target === "new") this.#startedConversation = conversation
    this.#notify()
    return conversation
  }

  /** Replaces an ended answer on the page by the stored message, if the service stored a message. */
  async #settle(client: Client, conversation: number): Promise<void> {
    const session = this.#sessions.get(conversation)
    if (session === undefined) return
    const storedMessage = await this.#cache.settle(client, conversation, session.newestMessageId)
    const message = session.live.message ?? storedMessage
    if (this.#closed.signal.aborted) return
    if (message === undefined) this.#sessions.set(conversation, { ...session, state: "ended" })
    else {
      this.#details.set(message, session.live)
      const [oldest] = this.#details.keys()
      if (this.#details.size > maxDetails && oldest !== undefined) this.#details.delete(oldest)
      this.#sessions.delete(conversation)
    }
    this.#notify()
  }

  #put(target: ConversationTarget, session: AnswerSession): void {
    this.#sessions.set(target, session)
    this.#notify()
  }

  #change(target: ConversationTarget, change: (session: AnswerSession) => AnswerSession): void {
    const session = this.#sessions.get(target)
    if (session === undefined) return
    this.#sessions.set(target, change(session))
    this.#timer ??= setTimeout(() => this.#notify(), minUpdateIntervalMs)
  }

  #notify(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const listener of this.#listeners) listener()
  }
}

const maxRetryWaitSeconds = 120

/** Returns the wait that a `RateLimited` error requires, in ms; undefined for other errors and for longer waits. */
const rateLimitWaitMs = (error: unknown): number | undefined => {
  if (!isClientError(error) || error._tag !== "RateLimited") return undefined
  const { retry_after_seconds: seconds } = error
  return seconds > 0 && seconds <= maxRetryWaitSeconds ? seconds * 1000 : undefined
}

const runningState = {
  state: "running",
  error: undefined,
  retryAt: undefined,
  hasRetried: false,
  stop: undefined
} as const

const newSession = (newestMessageId: number): AnswerSession => ({
  newestMessageId,
  isRegeneration: false,
  question: undefined,
  live: emptyAnswer,
  ...runningState,
  key: randomKey(),
  isStarted: false
})
