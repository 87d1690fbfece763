import type { SourceUnavailable } from "@tapeline/core/market"
import { Cause, Clock, Effect, Random, Result, type Scope } from "effect"
import { Breaker } from "./Breaker.ts"
import { type Fault, seconds, unavailable, unreachable } from "./fault.ts"
import { Flights } from "./Flights.ts"
import { Gate } from "./Gate.ts"
import { type Judge, refusalOf, type RefusedInBody } from "./judge.ts"
import { countLeftOut, notingLeftOut } from "./leftOut.ts"
import { Recorder } from "./Recorder.ts"
import type { Answer, SourceOptions, TextRequest } from "./request.ts"
import { dateOfAnswer } from "./retryAfter.ts"
import { Session } from "./Session.ts"
import { defaultPatience, type Patience, type RateLimit } from "./settings.ts"
import type { Shape } from "./shape.ts"
import { type Received, send } from "./transport.ts"

/** The maximum number of left-out rows that are logged by name. */
const mostTold = 100

interface Question<A> {
  readonly url: string
  readonly request: TextRequest
  readonly shape: Shape<A>
  /** Whether a large response is arriving now (`isNow`), and whether the call's time has expired (`isOver`). */
  readonly arrival: { isNow: boolean; isOver: boolean }
}

/** The client of one source in this process: the state that all its requests share. */
export class Asker {
  readonly name: string
  readonly #options: SourceOptions
  readonly #base: string
  readonly #patience: Patience
  readonly #gate: Gate
  readonly #breaker: Breaker
  readonly #recorder = new Recorder()
  readonly #flights: Flights<Answer<unknown>, SourceUnavailable>
  readonly #session: Session | undefined
  readonly #leftOutTold = new Set<string>()
  #skewTold = false

  constructor(options: SourceOptions, scope: Scope.Scope) {
    this.name = options.name
    this.#options = options
    this.#base = new URL(options.baseUrl).href.replace(/\/$/u, "")
    this.#patience = { ...defaultPatience, ...options.patience }
    this.#gate = new Gate(options.limits, this.#patience.concurrency, this.#patience.waiting)
    this.#breaker = new Breaker(this.#patience)
    this.#flights = new Flights(scope, () => this.#gate.isWanted)
    this.#session = options.session === undefined ? undefined : new Session(options.session, {
      bounds: this.#patience,
      send,
      refusalOf: (received, now) => refusalOf(received, this.#judgeBy(options.refusedInBody), now)
    }, scope)
  }

  ask<A>(request: TextRequest, shape: Shape<A>): Effect.Effect<Answer<A>, SourceUnavailable> {
    const url = this.#urlOf(request)
    const question = Effect.mapError(
      Effect.suspend(() => this.#patiently({ url, request, shape, arrival: { isNow: false, isOver: false } })),
      (fault) => unavailable(this.name, fault)
    )
    const keepMs = request.cacheMs ?? 0
    // A large cached response is read to its end even if its callers have left, unless another request needs the place.
    const lingers = keepMs > 0 && this.#isLarge(request)
    // The key contains the id of the shape, so a cached value was read by the reader of this shape.
    return this.#flights.ask(`${shape.id} ${url}`, keepMs, question, lingers) as Effect.Effect<
      Answer<A>,
      SourceUnavailable
    >
  }

  state(now: number) {
    const { name, next, part } = this.#options
    return this.#recorder.state(now, {
      source: part === undefined ? name : `${name}/${part}`,
      breaker: this.#breaker.state(now),
      next: next ?? null,
      waiting: this.#gate.waiting
    })
  }

  #isLarge({ maxBytes = 0 }: TextRequest): boolean {
    return maxBytes > this.#patience.maxBytes
  }

  #urlOf({ path, query = {} }: TextRequest): string {
    const given = new URLSearchParams()
    for (const [key, value] of Object.entries(query)) if (value !== undefined) given.append(key, String(value))
    return given.size === 0 ? `${this.#base}${path}` : `${this.#base}${path}?${given.toString()}`
  }

  /** Runs a whole call. It ends within `patienceMs`, unless a large response is arriving at that moment. */
  #patiently<A>(question: Question<A>): Effect.Effect<Answer<A>, Fault> {
    return Effect.suspend(() => {
      let last: Fault | undefined
      const tries = this.#try(question, 1, (fault) => {
        last = fault
      })
      const { patienceMs, timeoutMs } = this.#patience
      const { arrival } = question
      const over = Effect.gen(function*() {
        yield* Effect.sleep(patienceMs)
        arrival.isOver = true
        while (arrival.isNow) yield* Effect.sleep(timeoutMs)
        return yield* Effect.fail(last ?? unreachable(`no turn and no answer came within ${seconds(patienceMs)}`))
      })
      return Effect.raceFirst(tries, over)
    })
  }

  #try<A>(
    question: Question<A>,
    nth: number,
    tell: (fault: Fault) => void
  ): Effect.Effect<Answer<A>, Fault> {
    const { longestPauseMs, pauseMs, tries } = this.#patience
    return Effect.catch(this.#once(question), (fault) =>
      Effect.flatMap(Random.next, (random) => {
        tell(fault)
        const jitter = 0.5 + random / 2
        const jittered = pauseMs * jitter
        // Pauses are whole milliseconds, as all times are.
        const pause = Math.ceil(
          fault.retryAfterMs === undefined ? 2 ** (nth - 1) * jittered : fault.retryAfterMs + jittered
        )
        const isLast = nth >= tries || question.arrival.isOver
        if (!fault.again || isLast || pause > longestPauseMs) return Effect.fail(fault)
        return Effect.andThen(Effect.sleep(pause), this.#try(question, nth + 1, tell))
      }))
  }

  /** Returns why no request may be sent now, if so. */
  #closed(now: number): Fault | undefined {
    const blocked = this.#recorder.blockedBy(now)
    if (blocked !== null) return { failure: "blocked", reason: blocked.reason, again: false }
    const limitedUntil = this.#recorder.limitedUntil(now)
    if (limitedUntil !== null) {
      const retryAfterMs = limitedUntil - now
      const reason = `it wants to be left alone for ${seconds(retryAfterMs)}`
      return { failure: "rate_limited", reason, again: true, retryAfterMs }
    }
    const refused = this.#breaker.refuses(now)
    // The reason of the breaker does not explain the failures, so the last fault precedes it.
    const why = this.#recorder.lastFault?.reason
    return refused === undefined || why === undefined ? refused : { ...refused, reason: `${why}; ${refused.reason}` }
  }

  #once<A>(question: Question<A>): Effect.Effect<Answer<A>, Fault> {
    const unlessClosed = <B>(send: (now: number) => Effect.Effect<B, Fault>) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const closed = this.#closed(now)
        return closed === undefined ? send(now) : Effect.fail(closed)
      })
    const { cost = 1, costs = {} } = question.request
    const weigh = ({ name }: RateLimit) => name === undefined ? cost : costs[name] ?? 0
    // Checked before the queue, so that no call waits only to be rejected, and after it, because the state may have
    // changed.
    return unlessClosed(() => {
      if (this.#gate.isFull) this.#flights.giveWay()
      return this.#gate.pass(weigh, unlessClosed((now) => this.#send(question, now)))
    })
  }

  #send<A>(question: Question<A>, sentAt: number): Effect.Effect<Answer<A>, Fault> {
    const { arrival, request, shape, url } = question
    const { largeMs: ms, timeoutMs } = this.#patience
    const ended = this.#breaker.sent()
    const { binary = false, maxBytes = this.#patience.maxBytes } = request
    const arriving = (is: boolean) => void (arrival.isNow = is)
    const large = this.#isLarge(request) ? { large: { ms, arriving } } : {}
    const sent = { url, headers: { ...this.#options.headers, ...shape.headers }, timeoutMs, maxBytes, binary, ...large }
    const session = request.inSession === true ? this.#session : undefined
    return (session === undefined ? send(sent) : session.ask(sent)).pipe(
      Effect.flatMap((received) => this.#judge(received, question, sentAt)),
      Effect.onExit((exit) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          if (exit._tag === "Success") {
            this.#recorder.answered(now)
            return ended("answered", now)
          }
          const fault = exit.cause.reasons.find(Cause.isFailReason)?.error
          if (fault === undefined) return ended("left", now)
          this.#note(fault, now)
          ended(fault.failure === "unreachable" && fault.isThere !== true ? "failed" : "answered", now)
        })
      )
    )
  }

  #note(fault: Fault, now: number): void {
    const { failure, retryAfterMs } = this.#recorder.failed(fault, now)
    const { blockedMs, limitedMs } = this.#patience
    if (failure === "blocked") this.#recorder.block(now, Math.max(blockedMs, retryAfterMs ?? 0))
    if (failure === "rate_limited") this.#recorder.limit(now, retryAfterMs ?? limitedMs)
  }

  #judge<A>(
    received: Received,
    { request, shape }: Question<A>,
    sentAt: number
  ): Effect.Effect<Answer<A>, Fault> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const used = this.#options.usedWeight?.(received.headers)
      if (used !== undefined) this.#gate.told(used, now)
      const date = dateOfAnswer(received.headers) ?? null
      const { name, refusedInBody } = this.#options
      const judge = { ...this.#judgeBy(request.refusedInBody ?? refusedInBody), bodyOf: shape.bodyOf }
      const refused = shape.accepts?.(received) === true ? undefined : refusalOf(received, judge, now)
      const [read, leftOut] = notingLeftOut(() => refused === undefined ? shape.read(received) : Result.fail(refused))
      const judged = Result.map(read, (value): Answer<A> => ({
        value,
        receivedAt: now,
        date,
        ...(leftOut.length === 0 ? {} : { leftOut })
      }))
      return this.#noteSkew(name, date, sentAt, now).pipe(
        Effect.andThen(this.#noteLeftOut(request.what, Result.isSuccess(read) ? leftOut : [])),
        Effect.andThen(Effect.fromResult(judged))
      )
    })
  }

  #judgeBy(refusedInBody: RefusedInBody | undefined): Judge {
    const { limitedBy403, next, variable } = this.#options
    return { patience: this.#patience, refusedInBody, limitedBy403, next, variable }
  }

  /** Logs each row once, up to `mostTold` rows; metrics count every occurrence. */
  #noteLeftOut(what: string, rows: ReadonlyArray<string>): Effect.Effect<void> {
    if (rows.length === 0) return Effect.void
    const news = rows.filter((row) => !this.#leftOutTold.has(`${what} ${row}`)).slice(0, mostTold)
    const counted = countLeftOut(this.name, rows.length)
    if (news.length === 0 || this.#leftOutTold.size >= mostTold) return counted
    for (const row of news) this.#leftOutTold.add(`${what} ${row}`)
    const those = news.join(", ")
    return Effect.andThen(counted, Effect.logWarning(`of the ${what} of ${this.name} some are left out: ${those}`))
  }

  /** Records the clock skew, and warns once when it becomes large. Data keep the times of the source. */
  #noteSkew(name: string, date: number | null, sentAt: number, now: number): Effect.Effect<void> {
    if (date === null) return Effect.void
    // A `date` is truncated to whole seconds, and was written at some time between the two instants.
    const skewMs = Math.round(date + 500 - (sentAt + now) / 2)
    this.#recorder.skewMs = skewMs
    const far = Math.abs(skewMs) > this.#patience.skewMs + (now - sentAt) / 2
    const isNews = far && !this.#skewTold
    this.#skewTold = far
    return isNews
      ? Effect.logWarning(`the clock of ${name} and ours differ by ${Math.round(skewMs / 1_000)} s: is ours right?`)
      : Effect.void
  }
}
