import { RequestTimeout, TooManyLargeBodies } from "@tapeline/api"
import { Clock, Deferred, Effect } from "effect"
import { defaultNodeServerSettings } from "../nodeServer.ts"

/** How often an upload is measured. */
export const measureEveryMs = 1_000
/** Number of measurements from which the present speed of an upload is calculated. */
const speedMeasurements = 3
/** Number of measurements between two checks of an upload's pace. */
const paceMeasurements = 10
/** Minimum bytes between two checks: 16 KiB a second, the speed of a line with 128 kbit/s. */
const minPaceBytes = 160 * 1024

/** Counts the bytes that arrive, as a socket does. */
export interface ByteCounter {
  readonly bytesRead: number
}

/** A large body that arrives on a connection. */
export class Upload {
  readonly #connection: ByteCounter
  readonly #bytesBefore: number
  readonly #declared: number | undefined
  readonly #limit: number
  /** The bytes received at the last measurements, the newest last. */
  #received: ReadonlyArray<number> = [0]
  #measurementCount = 0

  /** `declared` is the body's length; undefined if the request does not declare it. `limit` is the maximum length. */
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

  /** The bytes received during the last measurements. */
  #bytesDuring(measurements: number): number {
    return this.#received.at(-1)! - this.#received.at(-1 - measurements)!
  }

  /**
   * The time that the rest of the body takes at the present speed, in ms. Infinite if nothing arrives, or if more
   * arrived than the maximum length: chunks of a body can be sent with any number of bytes around them. 0 before the
   * second measurement, because there is no speed yet.
   */
  get remainingMs(): number {
    const measurements = Math.min(this.#measurementCount, speedMeasurements)
    const remainingBytes = (this.#declared ?? this.#limit) - this.#received.at(-1)!
    if (measurements < 2) return 0
    if (remainingBytes <= 0) return this.#declared === undefined ? Infinity : 0
    return remainingBytes / this.#bytesDuring(measurements) * measurements * measureEveryMs
  }

  /**
   * Whether the body arrives too slowly. This is so if less than `minPaceBytes` arrived since the last check. It is
   * also so at less than half of the speed at which a body of the declared length arrives within the request timeout.
   */
  get isTooSlow(): boolean {
    if (this.#measurementCount % paceMeasurements !== 0) return false
    const elapsedShare = this.#measurementCount * measureEveryMs / defaultNodeServerSettings.requestTimeoutMs
    return this.#bytesDuring(paceMeasurements) < minPaceBytes ||
      this.#received.at(-1)! < (this.#declared ?? 0) * elapsedShare / 2
  }
}

/** Maximum number of large bodies in memory. An account has at most one of them. */
const maxLargeBodies = 4
/** Maximum numbers of requests that have a place or wait for one: of all accounts, and of one account. */
const maxRequests = 32
const maxRequestsPerAccount = 4
/** An upload that needs at most this time for its rest keeps its place. */
const nearlyDoneMs = 2_000
/** How long the turn of an account is remembered after its end. */
const rememberTurnMs = 60_000

/** The time of the monotonic clock, ms. */
const monotonicNowMs = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos / 1_000_000n))

/** A request with a large body. */
export interface LargeRequest {
  readonly account: number
  /** Succeeds when the request gets a place, and fails when another request replaces it in the queue. */
  readonly placeGranted: Deferred.Deferred<void, TooManyLargeBodies>
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
export class LargeBodyQueue {
  /** All requests, the oldest first. */
  #requests: ReadonlyArray<LargeRequest> = []
  /** The number of each account's latest turn, and its end. Turns are numbered as they begin. */
  readonly #latestTurns = new Map<number, { readonly number: number; readonly endsAtMs: number }>()
  #turnCount = 0

  /** Runs `use` once there is a place for a body of the account. No part of the body is read before. */
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

  /** Removes a waiting request for one of `account`; false if each of the others has the same right to wait. */
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

  /** Gives free places to the next accounts. */
  #giveTurns(): void {
    while (this.#requests.filter(({ hasPlace }) => hasPlace).length < maxLargeBodies) {
      const [next] = this.#ready.toSorted((a, b) => this.#latestTurnOf(a.account) - this.#latestTurnOf(b.account))
      if (next === undefined) return
      next.hasPlace = true
      this.#latestTurns.set(next.account, { number: ++this.#turnCount, endsAtMs: Infinity })
      Deferred.doneUnsafe(next.placeGranted, Effect.void)
    }
  }

  /** Whether an upload makes room for a waiting request. Each waiting request evicts one upload. */
  #isToBeEvicted({ remainingMs }: Upload): boolean {
    const leaving = this.#requests.filter(({ isLeaving }) => isLeaving)
    if (this.#ready.length <= leaving.length || remainingMs <= nearlyDoneMs) return false
    return this.#requests.every(({ isLeaving, upload }) => isLeaving || (upload?.remainingMs ?? 0) <= remainingMs)
  }
}
