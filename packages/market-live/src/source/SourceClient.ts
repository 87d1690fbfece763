import type { SourceUnavailable } from "@tapeline/core/market"
import { Cause, Clock, Effect, Random, Result, type Scope } from "effect"
import { CircuitBreaker } from "./CircuitBreaker.ts"
import { type Fault, seconds, toSourceUnavailable, unreachable } from "./fault.ts"
import { defaultRetryPolicy, type RateLimit, type RetryPolicy } from "./policies.ts"
import { RateLimiter } from "./RateLimiter.ts"
import { dateOfResponse, type ReadBodyRejection, rejectionOf, type RejectionRules } from "./rejections.ts"
import type { SourceOptions, SourceResponse, TextRequest } from "./request.ts"
import type { ResponseReader } from "./responseReaders.ts"
import { Session } from "./Session.ts"
import { SingleFlightCache } from "./SingleFlightCache.ts"
import { collectSkippedRows, countSkippedRows } from "./skippedRows.ts"
import { SourceStateRecorder } from "./SourceStateRecorder.ts"
import { type RawResponse, send } from "./transport.ts"

/** The maximum number of skipped rows that are logged by name. */
const maxLoggedRows = 100

interface PendingRequest<A> {
  readonly url: string
  readonly request: TextRequest
  readonly shape: ResponseReader<A>
  /** Whether a large response is arriving, and whether the call has exceeded its time limit. */
  readonly arrival: { isArriving: boolean; isTimedOut: boolean }
}

/** The client of one source, with the state that all requests share. */
export class SourceClient {
  readonly name: string
  readonly #options: SourceOptions
  readonly #base: string
  readonly #policy: RetryPolicy
  readonly #rateLimiter: RateLimiter
  readonly #breaker: CircuitBreaker
  readonly #recorder = new SourceStateRecorder()
  readonly #responseCache: SingleFlightCache<SourceResponse<unknown>, SourceUnavailable>
  readonly #session: Session | undefined
  readonly #loggedSkippedRows = new Set<string>()
  #isSkewLogged = false

  constructor(options: SourceOptions, scope: Scope.Scope) {
    this.name = options.name
    this.#options = options
    this.#base = new URL(options.baseUrl).href.replace(/\/$/u, "")
    this.#policy = { ...defaultRetryPolicy, ...options.retryPolicy }
    this.#rateLimiter = new RateLimiter(options.limits, this.#policy.concurrency, this.#policy.maxWaiting)
    this.#breaker = new CircuitBreaker(this.#policy)
    this.#responseCache = new SingleFlightCache(scope, () => this.#rateLimiter.isPlaceWanted)
    this.#session = options.session === undefined ? undefined : new Session(options.session, {
      bounds: this.#policy,
      send,
      rejectionOf: (received, now) => rejectionOf(received, this.#rejectionRules(options.readBodyRejection), now)
    }, scope)
  }

  request<A>(request: TextRequest, shape: ResponseReader<A>): Effect.Effect<SourceResponse<A>, SourceUnavailable> {
    const url = this.#urlOf(request)
    const pending = Effect.mapError(
      Effect.suspend(() =>
        this.#requestWithinTimeout({ url, request, shape, arrival: { isArriving: false, isTimedOut: false } })
      ),
      (fault) => toSourceUnavailable(this.name, fault)
    )
    const ttlMs = request.cacheMs ?? 0
    // A large cacheable response is read to its end even without callers, unless another request waits for a place.
    const survivesCallers = ttlMs > 0 && this.#isLarge(request)
    // The cache key contains the ID of the reader, so that a cached value was always decoded by the same reader.
    return this.#responseCache.get(`${shape.id} ${url}`, ttlMs, pending, survivesCallers) as Effect.Effect<
      SourceResponse<A>,
      SourceUnavailable
    >
  }

  state(now: number) {
    const { name, next, part } = this.#options
    return this.#recorder.state(now, {
      source: part === undefined ? name : `${name}/${part}`,
      breaker: this.#breaker.state(now),
      next: next ?? null,
      waiting: this.#rateLimiter.waiting
    })
  }

  #isLarge({ maxBytes = 0 }: TextRequest): boolean {
    return maxBytes > this.#policy.maxBytes
  }

  #urlOf({ path, query = {} }: TextRequest): string {
    const given = new URLSearchParams()
    for (const [key, value] of Object.entries(query)) if (value !== undefined) given.append(key, String(value))
    return given.size === 0 ? `${this.#base}${path}` : `${this.#base}${path}?${given.toString()}`
  }

  /** Runs a call with all its tries for at most `callTimeoutMs`, unless a large response is still arriving. */
  #requestWithinTimeout<A>(pending: PendingRequest<A>): Effect.Effect<SourceResponse<A>, Fault> {
    return Effect.suspend(() => {
      let last: Fault | undefined
      const tries = this.#attempt(pending, 1, (fault) => {
        last = fault
      })
      const { callTimeoutMs, timeoutMs } = this.#policy
      const { arrival } = pending
      const timeout = Effect.gen(function*() {
        yield* Effect.sleep(callTimeoutMs)
        arrival.isTimedOut = true
        while (arrival.isArriving) yield* Effect.sleep(timeoutMs)
        return yield* Effect.fail(
          last ?? unreachable(`no response within ${seconds(callTimeoutMs)}, including the waiting time`)
        )
      })
      return Effect.raceFirst(tries, timeout)
    })
  }

  #attempt<A>(
    question: PendingRequest<A>,
    attemptNumber: number,
    onFault: (fault: Fault) => void
  ): Effect.Effect<SourceResponse<A>, Fault> {
    const { maxPauseMs, pauseMs, maxTries } = this.#policy
    return Effect.catch(this.#tryOnce(question), (fault) =>
      Effect.flatMap(Random.next, (random) => {
        onFault(fault)
        const jitter = 0.5 + random / 2
        const jittered = pauseMs * jitter
        const pause = Math.ceil(
          fault.retryAfterMs === undefined ? 2 ** (attemptNumber - 1) * jittered : fault.retryAfterMs + jittered
        )
        const isLast = attemptNumber >= maxTries || question.arrival.isTimedOut
        if (!fault.canRetry || isLast || pause > maxPauseMs) return Effect.fail(fault)
        return Effect.andThen(Effect.sleep(pause), this.#attempt(question, attemptNumber + 1, onFault))
      }))
  }

  /** Returns why no request may be sent to the source now, or undefined if a request may be sent. */
  #whyClosed(now: number): Fault | undefined {
    const blocked = this.#recorder.blockedBy(now)
    if (blocked !== null) return { failure: "blocked", reason: blocked.reason, canRetry: false }
    const limitedUntil = this.#recorder.limitedUntil(now)
    if (limitedUntil !== null) {
      const retryAfterMs = limitedUntil - now
      const reason = `too many requests; paused for ${seconds(retryAfterMs)}`
      return { failure: "rate_limited", reason, canRetry: true, retryAfterMs }
    }
    const breakerFault = this.#breaker.whyRejected(now)
    // The circuit breaker reports only the number of failures, so the reason of the last failure is added.
    const why = this.#recorder.lastFault?.reason
    return breakerFault === undefined || why === undefined
      ? breakerFault
      : { ...breakerFault, reason: `${why}; ${breakerFault.reason}` }
  }

  #tryOnce<A>(question: PendingRequest<A>): Effect.Effect<SourceResponse<A>, Fault> {
    const unlessClosed = <B>(send: (now: number) => Effect.Effect<B, Fault>) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const closed = this.#whyClosed(now)
        return closed === undefined ? send(now) : Effect.fail(closed)
      })
    const { cost = 1, costs = {} } = question.request
    const costIn = ({ name }: RateLimit) => name === undefined ? cost : costs[name] ?? 0
    // The source's state is checked twice: before queueing, so that no call waits only to be rejected, and after
    // queueing, because the state may have changed.
    return unlessClosed(() => {
      if (this.#rateLimiter.isFull) this.#responseCache.interruptUnwatched()
      return this.#rateLimiter.run(costIn, unlessClosed((now) => this.#send(question, now)))
    })
  }

  #send<A>(question: PendingRequest<A>, sentAt: number): Effect.Effect<SourceResponse<A>, Fault> {
    const { arrival, request, shape, url } = question
    const { largeResponseMs: ms, timeoutMs } = this.#policy
    const ended = this.#breaker.onSent()
    const { binary = false, maxBytes = this.#policy.maxBytes } = request
    const setArriving = (is: boolean) => void (arrival.isArriving = is)
    const large = this.#isLarge(request) ? { large: { maxMs: ms, setArriving } } : {}
    const sent = { url, headers: { ...this.#options.headers, ...shape.headers }, timeoutMs, maxBytes, binary, ...large }
    const session = request.inSession === true ? this.#session : undefined
    return (session === undefined ? send(sent) : session.sendInSession(sent)).pipe(
      Effect.flatMap((received) => this.#readResponse(received, question, sentAt)),
      Effect.onExit((exit) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          if (exit._tag === "Success") {
            this.#recorder.recordSuccess(now)
            return ended("answered", now)
          }
          const fault = exit.cause.reasons.find(Cause.isFailReason)?.error
          if (fault === undefined) return ended("left", now)
          this.#recordFault(fault, now)
          ended(fault.failure === "unreachable" && fault.hasResponded !== true ? "failed" : "answered", now)
        })
      )
    )
  }

  #recordFault(fault: Fault, now: number): void {
    const { failure, retryAfterMs } = this.#recorder.recordFailure(fault, now)
    const { blockedMs, limitedMs } = this.#policy
    if (failure === "blocked") this.#recorder.block(now, Math.max(blockedMs, retryAfterMs ?? 0))
    if (failure === "rate_limited") this.#recorder.limit(now, retryAfterMs ?? limitedMs)
  }

  #readResponse<A>(
    received: RawResponse,
    { request, shape }: PendingRequest<A>,
    sentAt: number
  ): Effect.Effect<SourceResponse<A>, Fault> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const used = this.#options.readUsedWeight?.(received.headers)
      if (used !== undefined) this.#rateLimiter.applyReportedUsage(used, now)
      const date = dateOfResponse(received.headers) ?? null
      const { name, readBodyRejection } = this.#options
      const rules = { ...this.#rejectionRules(request.readBodyRejection ?? readBodyRejection), bodyOf: shape.bodyOf }
      const rejection = shape.accepts?.(received) === true ? undefined : rejectionOf(received, rules, now)
      const [read, skippedRows] = collectSkippedRows(() =>
        rejection === undefined ? shape.read(received) : Result.fail(rejection)
      )
      const response = Result.map(read, (value): SourceResponse<A> => ({
        value,
        receivedAt: now,
        date,
        ...(skippedRows.length === 0 ? {} : { skippedRows })
      }))
      return this.#recordSkew(name, date, sentAt, now).pipe(
        Effect.andThen(this.#logSkippedRows(request.label, Result.isSuccess(read) ? skippedRows : [])),
        Effect.andThen(Effect.fromResult(response))
      )
    })
  }

  #rejectionRules(readBodyRejection: ReadBodyRejection | undefined): RejectionRules {
    const { rateLimit403, next, variable } = this.#options
    return { policy: this.#policy, readBodyRejection, rateLimit403, next, variable }
  }

  /** Logs each skipped row once, up to `maxLoggedRows` rows, whereas metrics count every skipped row. */
  #logSkippedRows(what: string, rows: ReadonlyArray<string>): Effect.Effect<void> {
    if (rows.length === 0) return Effect.void
    const newRows = rows.filter((row) => !this.#loggedSkippedRows.has(`${what} ${row}`)).slice(0, maxLoggedRows)
    const counted = countSkippedRows(this.name, rows.length)
    if (newRows.length === 0 || this.#loggedSkippedRows.size >= maxLoggedRows) return counted
    for (const row of newRows) this.#loggedSkippedRows.add(`${what} ${row}`)
    const rowNames = newRows.join(", ")
    return Effect.andThen(
      counted,
      Effect.logWarning(`unreadable rows in the ${what} of ${this.name} were skipped: ${rowNames}`)
    )
  }

  /** Records the clock skew, and logs a warning once when the skew becomes large. */
  #recordSkew(name: string, date: number | null, sentAt: number, now: number): Effect.Effect<void> {
    if (date === null) return Effect.void
    // The `date` header is truncated to whole seconds, and was written between the sending and the receiving time.
    const skewMs = Math.round(date + 500 - (sentAt + now) / 2)
    this.#recorder.skewMs = skewMs
    const isSkewed = Math.abs(skewMs) > this.#policy.skewMs + (now - sentAt) / 2
    const shouldLog = isSkewed && !this.#isSkewLogged
    this.#isSkewLogged = isSkewed
    return shouldLog
      ? Effect.logWarning(
        `the clocks of ${name} and of this machine differ by ${
          Math.round(skewMs / 1_000)
        } s: check this machine's clock`
      )
      : Effect.void
  }
}
