import { Clock, Deferred, Effect, Random, Result, type Scope } from "effect"
import { connect, type Connection, silenceFault } from "./connection.ts"
import { EventQueue, type SocketEvent } from "./EventQueue.ts"
import { type Fault, malformed, seconds, unreachable } from "./fault.ts"
import { defaultReconnectPolicy, type ReconnectPolicy } from "./policies.ts"
import type { RateLimit403 } from "./rejections.ts"
import { SourceHealth } from "./SourceHealth.ts"
import { SourceStateRecorder } from "./SourceStateRecorder.ts"

export interface SocketOptions<A> {
  /** The names of the source (`binance`) and of its part (`liquidations`) in results and errors. */
  readonly name: string
  readonly part: string
  /**
   * The URL of the socket. A function can return a different URL for each connection, for example to replay from a
   * given position.
   */
  readonly url: string | (() => string)
  /** Messages to send as soon as the connection opens, such as subscriptions. */
  readonly initialMessages?: ReadonlyArray<string>
  /**
   * Returns whether a message confirms the subscription. Without `isConfirmation`, an open connection counts as
   * subscribed.
   */
  readonly isConfirmation?: (text: string) => boolean
  /** Returns the values that a message contains. For an unreadable message, returns a short reason without secrets. */
  readonly read: (text: string) => Result.Result<ReadonlyArray<A>, string>
  /** The text of a ping message, for sources that expect text instead of a WebSocket ping frame. */
  readonly ping?: string
  /**
   * The maximum delay of a message in milliseconds. A gap in the stream begins `lagMs` before the last received
   * message.
   */
  readonly lagMs?: number
  readonly next?: string
  readonly rateLimit403?: RateLimit403
  readonly reconnectPolicy?: Partial<ReconnectPolicy>
}

/** A subscription that lasts until its scope closes, over as many connections as needed. */
export interface Socket<A> {
  /** Waits for at least one event, and takes all queued events, oldest first, in only one fiber. */
  readonly take: Effect.Effect<ReadonlyArray<SocketEvent<A>>>
}

class SocketSubscription<A> {
  readonly recorder = new SourceStateRecorder()
  readonly #options: SocketOptions<A>
  readonly #policy: ReconnectPolicy
  readonly #eventQueue: EventQueue<A>
  readonly #clock: Clock.Clock
  /** The time up to which all events were received, after which events are lost if the connection ends. */
  #coveredUntil: number | undefined
  #upAt: number | undefined
  #lastActivityAt = 0
  #downReason = ""
  #unreadableCount = 0

  constructor(options: SocketOptions<A>, eventQueue: EventQueue<A>, clock: Clock.Clock) {
    this.#options = options
    this.#policy = { ...defaultReconnectPolicy, ...options.reconnectPolicy }
    this.#eventQueue = eventQueue
    this.#clock = clock
  }

  state(now: number) {
    const { name, next, part } = this.#options
    return this.recorder.state(now, {
      source: `${name}/${part}`,
      breaker: this.#upAt === undefined && this.recorder.lastFault !== null ? "open" : "closed",
      next: next ?? null,
      waiting: this.#eventQueue.size
    })
  }

  get runForever(): Effect.Effect<never> {
    let failures = 0
    let upAt: number | undefined
    const once = Effect.suspend(() => {
      upAt = undefined
      return Effect.scoped(this.#connectOnce((at) => {
        upAt = at
      }))
    })
    const pause = Effect.fnUntraced({ self: this }, function*(fault: Fault) {
      const now = this.#now
      if (upAt !== undefined && now - upAt >= this.#policy.stableAfterMs) failures = 0
      const counted = this.#recordDown(fault, now)
      yield* Effect.sleep(this.#pauseAfter(counted, failures, yield* Random.next))
      failures = Math.min(30, failures + 1)
    })
    return Effect.forever(Effect.catch(once, pause))
  }

  get #now(): number {
    return this.#clock.currentTimeMillisUnsafe()
  }

  #pauseAfter(fault: Fault, failures: number, random: number): number {
    const { blockedMs, maxPauseMs, pauseMs } = this.#policy
    if (fault.failure === "blocked") return Math.max(blockedMs, fault.retryAfterMs ?? 0)
    const pause = Math.min(maxPauseMs, pauseMs * 2 ** failures) * (0.5 + random / 2)
    return Math.ceil(Math.max(pause, fault.retryAfterMs ?? 0))
  }

  /** Records why the connection ended. Returns the fault as classified by the recorder. */
  #recordDown(fault: Fault, now: number): Fault {
    const counted = this.recorder.recordFailure(fault, now)
    const { failure, reason, retryAfterMs } = counted
    this.#upAt = undefined
    this.#downReason = reason
    if (failure === "blocked") this.recorder.block(now, Math.max(this.#policy.blockedMs, retryAfterMs ?? 0))
    else if (retryAfterMs !== undefined) this.recorder.limit(now, retryAfterMs)
    return counted
  }

  #connectOnce(onUp: (at: number) => void): Effect.Effect<never, Fault, Scope.Scope> {
    return Effect.gen({ self: this }, function*() {
      const { isConfirmation, initialMessages = [], ping = "", url } = this.#options
      const { connectMs, pingMs } = this.#policy
      const up = yield* Deferred.make<void>()
      let connection: Connection | undefined
      const markUp = () => {
        if (this.#upAt !== undefined) return
        onUp(this.#now)
        this.#recordUp()
        Deferred.doneUnsafe(up, Effect.void)
      }
      connection = yield* connect(
        typeof url === "string" ? url : url(),
        {
          onOpen: () => {
            for (const text of initialMessages) connection?.send(text)
            if (isConfirmation === undefined) markUp()
          },
          onText: (text) => {
            if (isConfirmation?.(text) === true) markUp()
            else this.#receive(text, (fault) => connection?.end(fault))
          },
          onActivity: () => this.#recordActivity()
        },
        { ...this.#options, policy: this.#policy }
      )
      const { ended, send } = connection
      const late = unreachable(`no confirmation within ${seconds(connectMs)}`)
      yield* Effect.raceFirst(Deferred.await(up), ended).pipe(
        Effect.timeoutOrElse({ duration: connectMs, orElse: () => Effect.fail(late) })
      )
      const pinging = Effect.forever(Effect.andThen(Effect.sleep(pingMs), Effect.sync(() => send(ping))))
      return yield* Effect.raceFirst(Effect.raceFirst(ended, this.#failOnSilence()), pinging)
    })
  }

  #failOnSilence(): Effect.Effect<never, Fault> {
    const { silenceMs } = this.#policy
    return Effect.suspend(() => {
      const left = this.#lastActivityAt + silenceMs - this.#now
      return left <= 0
        ? Effect.fail(silenceFault(silenceMs))
        : Effect.andThen(Effect.sleep(left), this.#failOnSilence())
    })
  }

  #recordUp(): void {
    const now = this.#now
    if (this.#coveredUntil !== undefined) {
      const from = this.#coveredUntil
      this.#eventQueue.put({ _tag: "gap", from, to: now, why: this.#downReason }, from, now)
    }
    this.#upAt = now
    this.#lastActivityAt = now
    this.#coveredUntil = now
    this.#unreadableCount = 0
    this.recorder.recordSuccess(now)
    this.#eventQueue.put({ _tag: "up", at: now }, now, now)
  }

  /**
   * Records that the connection is active at the current time. Activity means that all events older than `lagMs` have
   * been received.
   */
  #recordActivity(): void {
    const now = this.#now
    this.#lastActivityAt = now
    if (this.#upAt === undefined) return
    this.recorder.lastSuccessAt = now
    const at = now - (this.#options.lagMs ?? 0)
    const covered = this.#coveredUntil ?? at
    // Emits at most one `alive` event per second.
    if (at - covered < 1_000) return
    this.#coveredUntil = at
    this.#eventQueue.put({ _tag: "alive", at }, covered, now)
  }

  #receive(text: string, end: (fault: Fault) => void): void {
    const now = this.#now
    const read = this.#options.read(text)
    if (Result.isFailure(read)) return this.#recordUnreadable(read.failure, now, end)
    this.#unreadableCount = 0
    const from = now - (this.#options.lagMs ?? 0)
    for (const value of read.success) {
      this.recorder.recordSuccess(now)
      this.#eventQueue.put({ _tag: "heard", value, at: now }, from, now)
    }
  }

  #recordUnreadable(why: string, now: number, end: (fault: Fault) => void): void {
    const fault = malformed(`its message: ${why}`)
    this.recorder.recordFailure(fault, now)
    const from = Math.min(this.#coveredUntil ?? now, now - (this.#options.lagMs ?? 0))
    this.#eventQueue.put({ _tag: "gap", from, to: now, why: fault.reason }, from, now)
    if (++this.#unreadableCount >= this.#policy.maxUnreadable) end(fault)
  }
}

/** Opens a socket that lives until the scope closes. `SourceHealth` reports the state of the socket. */
export const makeSocket: <A>(
  options: SocketOptions<A>
) => Effect.Effect<Socket<A>, never, SourceHealth | Scope.Scope> = Effect.fnUntraced(
  function*<A>(options: SocketOptions<A>) {
    const waiting = options.reconnectPolicy?.maxQueued ?? defaultReconnectPolicy.maxQueued
    const eventQueue = yield* EventQueue.make<A>(waiting)
    const subscription = new SocketSubscription(options, eventQueue, yield* Clock.Clock)
    const health = yield* SourceHealth
    yield* health.register((now) => subscription.state(now))
    yield* Effect.forkScoped(subscription.runForever)
    return { take: eventQueue.take }
  }
)
