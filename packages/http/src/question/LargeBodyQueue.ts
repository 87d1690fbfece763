import { RequestTimeout, TooManyLargeBodies } from "@tapeline/api"
import { Clock, Deferred, Effect } from "effect"
import { defaultNodeServerSettings } from "../nodeServer.ts"

export const measureEveryMs = 1_000
const speedMeasurements = 3
const paceMeasurements = 10
/** The minimum number of bytes between two checks of an upload: 16 KiB a second, the speed of a 128 kbit/s line. */
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
  /** The numbers of bytes that an upload received until each of its last measurements, the newest last. */
  #received: ReadonlyArray<number> = [0]
  #measurementCount = 0

  /**
   * Creates an upload whose body has the length `declared`, which is undefined if the request does not declare the
   * length.
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
   * The time in ms until the complete body of an upload has arrived, at the current speed: 0 before the second
   * measurement, and infinite if nothing arrives. The remaining time of a chunked body with more than `limit` bytes is
   * infinite, because chunks can have any amount of overhead.
   */
  get remainingMs(): number {
    const measurements = Math.min(this.#measurementCount, speedMeasurements)
    const remainingBytes = (this.#declared ?? this.#limit) - this.#received.at(-1)!
    if (measurements < 2) return 0
    if (remainingBytes <= 0) return this.#declared === undefined ? Infinity : 0
    return remainingBytes / this.#bytesDuring(measurements) * measurements * measureEveryMs
  }

  /**
   * Whether a body arrives too slowly: with fewer than `minPaceBytes` since the last check, or below half of the speed
   * that the request timeout requires.
   */
  get isTooSlow(): boolean {
    if (this.#measurementCount % paceMeasurements !== 0) return false
    const elapsedShare = this.#measurementCount * measureEveryMs / defaultNodeServerSettings.requestTimeoutMs
    return this.#bytesDuring(paceMeasurements) < minPaceBytes ||
      this.#received.at(-1)! < (this.#declared ?? 0) * elapsedShare / 2
  }
}

/** The maximum number of large bodies in memory, of which an account has at most one. */
const maxLargeBodies = 4
/** The maximum numbers of requests with or waiting for a place in memory: of all accounts, and of one account. */
const maxRequests = 32
const maxRequestsPerAccount = 4
/** The maximum remaining time of an upload that always keeps its place in memory, in ms. */
const nearlyDoneMs = 2_000
/** The time for which the queue of large bodies remembers the end of an account's turn, in ms. */
const rememberTurnMs = 60_000

const monotonicNowMs = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos / 1_000_000n))

export interface LargeRequest {
  readonly account: number
  /** Succeeds when the request gets a place in memory, and fails when a newer request replaces the waiting request. */
  readonly placeGranted: Deferred.Deferred<void, TooManyLargeBodies>
  hasPlace: boolean
  /** The request body while the body arrives; undefined before and after the arrival. */
  upload: Upload | undefined
  /** True if the upload of a request failed, so that the request gives up its place in memory. */
  isLeaving: boolean
}

/**
 * Limits the large request bodies in memory. The next free place for a large request body goes to the account whose
 * latest turn began first; a turn that ended more than a minute ago does not count. If the queue of large request
 * bodies is full, an account without a request replaces the newest request of the account with the most requests. If no
 * account has two large request bodies, the request of the account whose turn began last is replaced, provided that its
 * turn began after the newcomer's.
 */
export class LargeBodyQueue {
  #requests: ReadonlyArray<LargeRequest> = []
  /** The number and the end of each account's latest turn to have a large body in memory. */
  readonly #latestTurns = new Map<number, { readonly number: number; readonly endsAtMs: number }>()
  #turnCount = 0

  /**
   * Runs `use` as soon as memory has a place for a large body of the account, so that no part of the body is read
   * before.
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
   * Runs `receive`, which reads the body of a request that has a place in memory. A request body that arrives too
   * slowly fails, and so does the upload with the longest remaining time while other accounts wait.
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
   * Replaces a waiting request by a request of `account`, or returns false if all other accounts have the same right to
   * wait.
   */
  #replaceWaiting(account: number): boolean {
    const requestsOfBusiestAccount = [...Map.groupBy(this.#requests, (one) => one.account).values()]
      .reduce((a, b) => b.length > a.length ? b : a, [])
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

  /** Returns whether an upload must give its place in memory to a waiting request, each of which evicts one upload. */
  #isToBeEvicted({ remainingMs }: Upload): boolean {
    const leaving = this.#requests.filter(({ isLeaving }) => isLeaving)
    if (this.#ready.length <= leaving.length || remainingMs <= nearlyDoneMs) return false
    return this.#requests.every(({ isLeaving, upload }) => isLeaving || (upload?.remainingMs ?? 0) <= remainingMs)
  }
}
