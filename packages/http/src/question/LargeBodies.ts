import { RequestTimeout, TooManyLargeBodies } from "@tapeline/api"
import { Clock, Deferred, Effect } from "effect"
import { measureEveryMs, type Upload } from "./Upload.ts"

/** Maximum number of large bodies in memory. An account has at most one of them. */
const places = 4
/** Maximum numbers of requests that have a place or wait for one: of all accounts, and of one account. */
const maxRequests = 32
const maxRequestsPerAccount = 4
/** An upload that needs at most this time for its rest keeps its place. */
const nearlyDoneMs = 2_000
/** How long the turn of an account is remembered after its end. */
const rememberTurnMs = 60_000

/** The time of the monotonic clock, ms. */
const monotonicMs = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos / 1_000_000n))

/** A request with a large body. */
export interface LargeRequest {
  readonly account: number
  /** Succeeds when the request gets a place, and fails when another request replaces it in the queue. */
  readonly turn: Deferred.Deferred<void, TooManyLargeBodies>
  hasPlace: boolean
  /** The body, while it arrives. */
  upload: Upload | undefined
  /** True if the upload failed and its place becomes free at once. */
  isLeaving: boolean
}

/**
 * Limits large bodies in memory and shares the places fairly among accounts. The next place goes to the account whose
 * latest turn began first. A minute after its end a turn does not count. If the queue is full, an account without a
 * request replaces a waiting request: the newest of the account with the most requests, or else one of an account whose
 * latest turn began later.
 */
export class LargeBodies {
  /** All requests, the oldest first. */
  #requests: ReadonlyArray<LargeRequest> = []
  /** The number of each account's latest turn, and its end. Turns are numbered as they begin. */
  readonly #latestTurns = new Map<number, { readonly nth: number; readonly until: number }>()
  #turns = 0

  /** Runs `use` once there is a place for a body of the account. No part of the body is read before. */
  admit<A, E, R>(
    account: number,
    use: (request: LargeRequest) => Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | TooManyLargeBodies, R> {
    return Effect.acquireUseRelease(
      Effect.flatMap(monotonicMs, (now) => this.#enter(account, now)),
      (request) => Effect.flatMap(Deferred.await(request.turn), () => use(request)),
      (request) =>
        Effect.map(monotonicMs, (now) => {
          this.#requests = this.#requests.filter((one) => one !== request)
          const turn = this.#latestTurns.get(account)
          if (request.hasPlace && turn !== undefined) this.#latestTurns.set(account, { ...turn, until: now })
          this.#giveTurns()
        })
    )
  }

  /**
   * Runs `receive`, which reads the body of a request that has a place. An upload that arrives too slowly fails. While
   * other accounts wait for a place, the upload that needs the longest for its rest fails as well.
   */
  receive<A, E, R>(
    request: LargeRequest,
    upload: Upload,
    receive: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | RequestTimeout, R> {
    const watch = Effect.gen({ self: this }, function*() {
      for (;;) {
        yield* Effect.sleep(measureEveryMs)
        upload.measure()
        request.isLeaving = upload.isTooSlow || this.#isToBeEvicted(upload)
        if (request.isLeaving) return yield* new RequestTimeout()
      }
    })
    return Effect.suspend(() => {
      request.upload = upload
      return Effect.ensuring(Effect.raceFirst(receive, watch), Effect.sync(() => request.upload = undefined))
    })
  }

  /** Waiting requests whose account has no place. */
  get #ready(): ReadonlyArray<LargeRequest> {
    const served = new Set(this.#requests.filter(({ hasPlace }) => hasPlace).map(({ account }) => account))
    return this.#requests.filter(({ account }) => !served.has(account))
  }

  #latestTurnOf(account: number): number {
    return this.#latestTurns.get(account)?.nth ?? 0
  }

  #enter(account: number, now: number): Effect.Effect<LargeRequest, TooManyLargeBodies> {
    for (const [one, { until }] of this.#latestTurns) {
      if (now - until >= rememberTurnMs) this.#latestTurns.delete(one)
    }
    const own = this.#requests.filter((one) => one.account === account).length
    const hasRoom = this.#requests.length < maxRequests || (own === 0 && this.#replace(account))
    if (!hasRoom || own >= maxRequestsPerAccount) return Effect.fail(new TooManyLargeBodies())
    const request: LargeRequest = {
      account,
      turn: Deferred.makeUnsafe(),
      hasPlace: false,
      upload: undefined,
      isLeaving: false
    }
    this.#requests = [...this.#requests, request]
    this.#giveTurns()
    return Effect.succeed(request)
  }

  /** Removes a waiting request for one of `account`; false if each of the others has the same right to wait. */
  #replace(account: number): boolean {
    const most = [...Map.groupBy(this.#requests, (one) => one.account).values()]
      .reduce((a, b) => b.length > a.length ? b : a, [])
    const [latest] = this.#requests
      .filter((one) => !one.hasPlace && this.#latestTurnOf(one.account) > this.#latestTurnOf(account))
      .toSorted((a, b) => this.#latestTurnOf(b.account) - this.#latestTurnOf(a.account))
    const replaced = most.length > 1 ? most.at(-1) : latest
    if (replaced === undefined) return false
    this.#requests = this.#requests.filter((one) => one !== replaced)
    Deferred.doneUnsafe(replaced.turn, new TooManyLargeBodies())
    return true
  }

  /** Gives free places to the next accounts. */
  #giveTurns(): void {
    while (this.#requests.filter(({ hasPlace }) => hasPlace).length < places) {
      const [next] = this.#ready.toSorted((a, b) => this.#latestTurnOf(a.account) - this.#latestTurnOf(b.account))
      if (next === undefined) return
      next.hasPlace = true
      this.#latestTurns.set(next.account, { nth: ++this.#turns, until: Infinity })
      Deferred.doneUnsafe(next.turn, Effect.void)
    }
  }

  /** Whether an upload makes room for a waiting request. Each waiting request evicts one upload. */
  #isToBeEvicted({ remainingMs }: Upload): boolean {
    const leaving = this.#requests.filter(({ isLeaving }) => isLeaving)
    if (this.#ready.length <= leaving.length || remainingMs <= nearlyDoneMs) return false
    return this.#requests.every(({ isLeaving, upload }) => isLeaving || (upload?.remainingMs ?? 0) <= remainingMs)
  }
}
