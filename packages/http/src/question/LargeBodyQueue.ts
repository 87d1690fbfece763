import { RequestTimeout, TooManyLargeBodies } from "@tapeline/api"
import { Clock, Deferred, Effect } from "effect"
import { defaultNodeServerSettings } from "../nodeServer.ts"

export const measureEveryMs = 1_000
const speedMeasurements = 3
const paceMeasurements = 10
/**
 * The minimum number of bytes that must arrive between two checks of an upload. The minimum corresponds to 16 KiB per
 * second, the speed of a 128 kbit/s line.
 */
const minPaceBytes = 160 * 1024

/** Counts the received bytes of a connection, as a Node socket does. */
export interface ByteCounter {
  readonly bytesRead: number
}

/** A large request body that arrives on a connection. */
export class Upload {
  readonly #connection: ByteCounter
  readonly #bytesBefore: number
  readonly #declared: number | undefined
  readonly #limit: number
  /** The total number of received bytes at each recent measurement of the upload, oldest first. */
  #received: ReadonlyArray<number> = [0]
  #measurementCount = 0

  /**
   * Creates an upload of a request body. `declared` is the length of the body in bytes, or undefined if the request
   * does not declare a length.
   */
  constructor(connection: ByteCounter, declared: number | undefined, limit: number) {
    this.#connection = connection
    this.#bytesBefore = connection.bytesRead
    this.#declared = declared
    this.#limit = limit
  }

  measure(): void {
    this.#measurementCount++
    const received = this.#connection.bytesRead - this.#bytesBefore
    this.#received = [...this.#received.slice(-paceMeasurements), received]
  }

  #bytesDuring(measurements: number): number {
    return this.#received.at(-1)! - this.#received.at(-1 - measurements)!
  }

  /**
   * The estimated time in ms until the body of an upload is complete, at the current speed. The time is 0 before the
   * second measurement, and infinite if no data arrives. A chunked body that exceeds `limit` bytes has an infinite
   * remaining time.
   */
  get remainingMs(): number {
    const measurements = Math.min(this.#measurementCount, speedMeasurements)
    const remainingBytes = (this.#declared ?? this.#limit) - this.#received.at(-1)!
    if (measurements < 2) return 0
    // The overhead of chunks is unlimited, so the remaining time of a chunked body above the limit is unknown.
    if (remainingBytes <= 0) return this.#declared === undefined ? Infinity : 0
    return remainingBytes / this.#bytesDuring(measurements) * measurements * measureEveryMs
  }

  /**
   * Whether a request body arrives too slowly. A body is too slow if fewer than `minPaceBytes` arrived since the last
   * check. A body is also too slow if its average speed is below half of the speed that the request timeout requires.
   */
  get isTooSlow(): boolean {
    if (this.#measurementCount % paceMeasurements !== 0) return false
    const elapsedShare = this.#measurementCount * measureEveryMs / defaultNodeServerSettings.requestTimeoutMs
    return this.#bytesDuring(paceMeasurements) < minPaceBytes ||
      this.#received.at(-1)! < (this.#declared ?? 0) * elapsedShare / 2
  }
}

/** The maximum number of large request bodies in memory. Each account has at most one large request body in memory. */
const maxLargeBodies = 4
/** The maximum number of large requests of all accounts, in memory or waiting for memory. */
const maxRequests = 32
const maxRequestsPerAccount = 4
/** An upload whose remaining time is at most this duration, in ms, is never removed from memory. */
const nearlyDoneMs = 2_000
/** The time in ms after which the queue forgets when an account last had a large body in memory. */
const rememberTurnMs = 60_000

const monotonicNowMs = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos / 1_000_000n))

export interface LargeRequest {
  readonly account: number
  /**
   * Succeeds when the queue admits the large request to memory. Fails when a newer request replaces the waiting
   * request.
   */
  readonly placeGranted: Deferred.Deferred<void, TooManyLargeBodies>
  hasPlace: boolean
  /** The request body while the body arrives; undefined before and after the arrival. */
  upload: Upload | undefined
  /** True after the upload of the request failed, until the request releases its memory. */
  isLeaving: boolean
}

/**
 * Limits the large request bodies in memory. When memory becomes free, the queue prefers the account whose last large
 * body entered memory longest ago. The queue forgets an account's last large body a minute after the body has left
 * memory. If the queue is full, a request of an account without other requests can replace a waiting request. The
 * replaced request is the newest request of the account with the most queued requests.
 */
export class LargeBodyQueue {
  #requests: ReadonlyArray<LargeRequest> = []
  /**
   * The number and the end time of each account's latest turn. A turn is the time during which an account has a large
   * body in memory.
   */
  readonly #latestTurns = new Map<number, { readonly number: number; readonly endsAtMs: number }>()
  #turnCount = 0

  /**
   * Waits until memory is available for the account's large body, and then runs `use`. `admit` does not read the body
   * before `use` runs.
   */
  admit<A, E, R>(
    account: number,
    use: (request: LargeRequest) => Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | TooManyLargeBodies, R> {
    return Effect.acquireUseRelease(
      Effect.flatMap(monotonicNowMs, (now) => this.#enqueue(account, now)),
      (request) => Effect.flatMap(Deferred.await(request.placeGranted), () => use(request)),
      (request) =>
        Effect.map(monotonicNowMs, (now) => {
          this.#requests = this.#requests.filter((other) => other !== request)
          const turn = this.#latestTurns.get(account)
          if (request.hasPlace && turn !== undefined) this.#latestTurns.set(account, { ...turn, endsAtMs: now })
          this.#giveTurns()
        })
    )
  }

  /**
   * Runs `receive` and monitors the upload speed. `receive` reads the body of a request that is admitted to memory. A
   * body that arrives too slowly fails. While other accounts wait, the upload with the longest remaining time also
   * fails.
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

  get #ready(): ReadonlyArray<LargeRequest> {
    const accountsWithPlace = new Set(this.#requests.filter(({ hasPlace }) => hasPlace).map(({ account }) => account))
    return this.#requests.filter(({ account }) => !accountsWithPlace.has(account))
  }

  #latestTurnOf(account: number): number {
    return this.#latestTurns.get(account)?.number ?? 0
  }

  #enqueue(account: number, now: number): Effect.Effect<LargeRequest, TooManyLargeBodies> {
    for (const [accountId, { endsAtMs }] of this.#latestTurns) {
      if (now - endsAtMs >= rememberTurnMs) this.#latestTurns.delete(accountId)
    }
    const ownRequests = this.#requests.filter((other) => other.account === account).length
    const hasRoom = this.#requests.length < maxRequests || (ownRequests === 0 && this.#replaceWaiting(account))
    if (!hasRoom || ownRequests >= maxRequestsPerAccount) return Effect.fail(new TooManyLargeBodies())
    const request: LargeRequest = {
      account,
      placeGranted: Deferred.makeUnsafe(),
      hasPlace: false,
      upload: undefined,
      isLeaving: false
    }
    this.#requests = [...this.#requests, request]
    this.#giveTurns()
    return Effect.succeed(request)
  }

  /**
   * Replaces a waiting request with a new request of `account`. Returns false if the queue contains no request that the
   * new request may replace.
   */
  #replaceWaiting(account: number): boolean {
    const requestsOfBusiestAccount = [...Map.groupBy(this.#requests, (one) => one.account).values()]
      .reduce((a, b) => b.length > a.length ? b : a, [])
    // If each account has only one request, the account whose turn began last loses its request. The turn of the
    // replaced account must have begun after the latest turn of `account`.
    const [latestServed] = this.#requests
      .filter((one) => !one.hasPlace && this.#latestTurnOf(one.account) > this.#latestTurnOf(account))
      .toSorted((a, b) => this.#latestTurnOf(b.account) - this.#latestTurnOf(a.account))
    const replaced = requestsOfBusiestAccount.length > 1 ? requestsOfBusiestAccount.at(-1) : latestServed
    if (replaced === undefined) return false
    this.#requests = this.#requests.filter((one) => one !== replaced)
    Deferred.doneUnsafe(replaced.placeGranted, new TooManyLargeBodies())
    return true
  }

  #giveTurns(): void {
    while (this.#requests.filter(({ hasPlace }) => hasPlace).length < maxLargeBodies) {
      const [next] = this.#ready.toSorted((a, b) => this.#latestTurnOf(a.account) - this.#latestTurnOf(b.account))
      if (next === undefined) return
      next.hasPlace = true
      this.#latestTurns.set(next.account, { number: ++this.#turnCount, endsAtMs: Infinity })
      Deferred.doneUnsafe(next.placeGranted, Effect.void)
    }
  }

  /**
   * Returns whether an upload must release its memory for a waiting request. For each waiting request, at most one
   * upload leaves memory.
   */
  #isToBeEvicted({ remainingMs }: Upload): boolean {
    const leaving = this.#requests.filter(({ isLeaving }) => isLeaving)
    if (this.#ready.length <= leaving.length || remainingMs <= nearlyDoneMs) return false
    return this.#requests.every(({ isLeaving, upload }) => isLeaving || (upload?.remainingMs ?? 0) <= remainingMs)
  }
}
