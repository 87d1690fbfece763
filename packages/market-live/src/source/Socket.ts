import { Clock, Deferred, Effect, Random, Result, type Scope } from "effect"
import { connect, type Connection, silent } from "./connection.ts"
import { type Fault, malformed, seconds, unreachable } from "./fault.ts"
import { Inbox, type SocketEvent } from "./Inbox.ts"
import type { LimitedBy403 } from "./judge.ts"
import { Recorder } from "./Recorder.ts"
import { defaultSocketPatience, type SocketPatience } from "./socketSettings.ts"
import { SourceHealth } from "./SourceHealth.ts"

export interface SocketOptions<A> {
  /** The source (`binance`) and its part (`liquidations`), as in results and errors. */
  readonly name: string
  readonly part: string
  /** The address. A function is called for each connection, for sources that can replay from a given position. */
  readonly url: string | (() => string)
  /** Messages that are sent as soon as the connection opens, such as subscriptions. */
  readonly hello?: ReadonlyArray<string>
  /** Whether a message confirms the subscription. Without this function, an open connection counts as subscribed. */
  readonly confirms?: (text: string) => boolean
  /**
   * Reads a message: its values (empty for an acknowledgement), or a short reason without secrets why it cannot be
   * read.
   */
  readonly read: (text: string) => Result.Result<ReadonlyArray<A>, string>
  /** The text of a ping, for sources that expect one instead of a ping of the protocol. */
  readonly ping?: string
  /** The maximum delay of a message. A gap begins this long before the last message. */
  readonly lagMs?: number
  /** The source that is used if this one does not serve. */
  readonly next?: string
  /** How to distinguish a 403 that is a rate limit from one that is a block. */
  readonly limitedBy403?: LimitedBy403
  readonly patience?: Partial<SocketPatience>
}

/** A subscription that lasts as long as the scope, over as many connections as needed. */
export interface Socket<A> {
  /** Waits for at least one event, and takes all that are queued, oldest first. There must be only one reader. */
  readonly take: Effect.Effect<ReadonlyArray<SocketEvent<A>>>
}

class Listening<A> {
  readonly recorder = new Recorder()
  readonly #options: SocketOptions<A>
  readonly #patience: SocketPatience
  readonly #inbox: Inbox<A>
  readonly #clock: Clock.Clock
  /** The time up to which everything was received. Events after it are lost if the connection ends. */
  #coveredUntil: number | undefined
  #upAt: number | undefined
  #lastSign = 0
  #why = ""
  #unreadable = 0

  constructor(options: SocketOptions<A>, inbox: Inbox<A>, clock: Clock.Clock) {
    this.#options = options
    this.#patience = { ...defaultSocketPatience, ...options.patience }
    this.#inbox = inbox
    this.#clock = clock
  }

  state(now: number) {
    const { name, next, part } = this.#options
    return this.recorder.state(now, {
      source: `${name}/${part}`,
      breaker: this.#upAt === undefined && this.recorder.lastFault !== null ? "open" : "closed",
      next: next ?? null,
      waiting: this.#inbox.size
    })
  }

  get forever(): Effect.Effect<never> {
    let failures = 0
    let upAt: number | undefined
    const once = Effect.suspend(() => {
      upAt = undefined
      return Effect.scoped(this.#connection((at) => {
        upAt = at
      }))
    })
    const pause = Effect.fnUntraced({ self: this }, function*(fault: Fault) {
      const now = this.#now
      if (upAt !== undefined && now - upAt >= this.#patience.steadyMs) failures = 0
      const counted = this.#down(fault, now)
      yield* Effect.sleep(this.#pauseOf(counted, failures, yield* Random.next))
      failures = Math.min(30, failures + 1)
    })
    return Effect.forever(Effect.catch(once, pause))
  }

  get #now(): number {
    return this.#clock.currentTimeMillisUnsafe()
  }

  #pauseOf(fault: Fault, failures: number, random: number): number {
    const { blockedMs, longestPauseMs, pauseMs } = this.#patience
    if (fault.failure === "blocked") return Math.max(blockedMs, fault.retryAfterMs ?? 0)
    const pause = Math.min(longestPauseMs, pauseMs * 2 ** failures) * (0.5 + random / 2)
    return Math.ceil(Math.max(pause, fault.retryAfterMs ?? 0))
  }

  /** Records why the connection ended, and returns the fault as it counts. */
  #down(fault: Fault, now: number): Fault {
    const counted = this.recorder.failed(fault, now)
    const { failure, reason, retryAfterMs } = counted
    this.#upAt = undefined
    this.#why = reason
    if (failure === "blocked") this.recorder.block(now, Math.max(this.#patience.blockedMs, retryAfterMs ?? 0))
    else if (retryAfterMs !== undefined) this.recorder.limit(now, retryAfterMs)
    return counted
  }

  #connection(tellUp: (at: number) => void): Effect.Effect<never, Fault, Scope.Scope> {
    return Effect.gen({ self: this }, function*() {
      const { confirms, hello = [], ping = "", url } = this.#options
      const { connectMs, pingMs } = this.#patience
      const up = yield* Deferred.make<void>()
      let connection: Connection | undefined
      const becomeUp = () => {
        if (this.#upAt !== undefined) return
        tellUp(this.#now)
        this.#up()
        Deferred.doneUnsafe(up, Effect.void)
      }
      connection = yield* connect(
        typeof url === "string" ? url : url(),
        {
          open: () => {
            for (const text of hello) connection?.say(text)
            if (confirms === undefined) becomeUp()
          },
          text: (text) => {
            if (confirms?.(text) === true) becomeUp()
            else this.#heard(text, (fault) => connection?.end(fault))
          },
          sign: () => this.#sign()
        },
        { ...this.#options, patience: this.#patience }
      )
      const { ended, say } = connection
      const late = unreachable(`it confirmed nothing within ${seconds(connectMs)}`)
      yield* Effect.raceFirst(Deferred.await(up), ended).pipe(
        Effect.timeoutOrElse({ duration: connectMs, orElse: () => Effect.fail(late) })
      )
      const asking = Effect.forever(Effect.andThen(Effect.sleep(pingMs), Effect.sync(() => say(ping))))
      return yield* Effect.raceFirst(Effect.raceFirst(ended, this.#silence()), asking)
    })
  }

  /** Fails when nothing was received for `silenceMs`. */
  #silence(): Effect.Effect<never, Fault> {
    const { silenceMs } = this.#patience
    return Effect.suspend(() => {
      const left = this.#lastSign + silenceMs - this.#now
      return left <= 0 ? Effect.fail(silent(silenceMs)) : Effect.andThen(Effect.sleep(left), this.#silence())
    })
  }

  #up(): void {
    const now = this.#now
    if (this.#coveredUntil !== undefined) {
      const from = this.#coveredUntil
      this.#inbox.put({ _tag: "gap", from, to: now, why: this.#why }, from, now)
    }
    this.#upAt = now
    this.#lastSign = now
    this.#coveredUntil = now
    this.#unreadable = 0
    this.recorder.answered(now)
    this.#inbox.put({ _tag: "up", at: now }, now, now)
  }

  /** Records a sign of life: everything until now, less the maximum delay, has been received. */
  #sign(): void {
    const now = this.#now
    this.#lastSign = now
    if (this.#upAt === undefined) return
    this.recorder.lastSuccessAt = now
    const at = now - (this.#options.lagMs ?? 0)
    const covered = this.#coveredUntil ?? at
    // At most one `alive` event per second.
    if (at - covered < 1_000) return
    this.#coveredUntil = at
    this.#inbox.put({ _tag: "alive", at }, covered, now)
  }

  #heard(text: string, end: (fault: Fault) => void): void {
    const now = this.#now
    const read = this.#options.read(text)
    if (Result.isFailure(read)) return this.#lost(read.failure, now, end)
    this.#unreadable = 0
    const from = now - (this.#options.lagMs ?? 0)
    for (const value of read.success) {
      this.recorder.answered(now)
      this.#inbox.put({ _tag: "heard", value, at: now }, from, now)
    }
  }

  #lost(why: string, now: number, end: (fault: Fault) => void): void {
    const fault = malformed(`its message: ${why}`)
    this.recorder.failed(fault, now)
    const from = Math.min(this.#coveredUntil ?? now, now - (this.#options.lagMs ?? 0))
    this.#inbox.put({ _tag: "gap", from, to: now, why: fault.reason }, from, now)
    if (++this.#unreadable >= this.#patience.mostUnreadable) end(fault)
  }
}

/** Opens a socket that lives as long as the scope. `SourceHealth` contains its state for that time. */
export const makeSocket: <A>(
  options: SocketOptions<A>
) => Effect.Effect<Socket<A>, never, SourceHealth | Scope.Scope> = Effect.fnUntraced(
  function*<A>(options: SocketOptions<A>) {
    const waiting = options.patience?.waiting ?? defaultSocketPatience.waiting
    const inbox = yield* Inbox.make<A>(waiting)
    const listening = new Listening(options, inbox, yield* Clock.Clock)
    const health = yield* SourceHealth
    yield* health.watch((now) => listening.state(now))
    yield* Effect.forkScoped(listening.forever)
    return { take: inbox.take }
  }
)
