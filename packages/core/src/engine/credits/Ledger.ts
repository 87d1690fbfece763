import { Clock, Context, Effect, Exit, Layer, Schedule, type Scope } from "effect"
import type { StoreUnavailable } from "../store/StoreUnavailable.ts"
import {
  type Admission,
  type Ending,
  type EndRequest,
  type Idempotency,
  LedgerStore,
  type MonthBooks,
  type MonthUsage,
  type Recollection,
  type Reservation,
  type ReserveRequest
} from "./LedgerStore.ts"
import type { Month } from "./month.ts"
import { patientCommit } from "./patientCommit.ts"

/** The batching of concurrent calls for the store, and their maximum wait. */
export interface LedgerOptions {
  /** The maximum number of requests per batch; 256 by default. */
  readonly maxBatch?: number
  /** The maximum number of concurrent batches, separately for reservations and for endings; 2 by default. */
  readonly batchesInFlight?: number
  /** The maximum wait of a caller for a locked month, or for a settlement in doubt; 9.5 seconds by default. */
  readonly patienceMs?: number
}

/** The sweeping of lapsed reservations, and the retention of ended reservations. */
export interface SweeperOptions {
  /** The time from the end of one sweep to the start of the next; 5 seconds by default. */
  readonly intervalMs?: number
  /** The maximum number of reservations per statement; 500 by default. */
  readonly batch?: number
  /**
   * The number of months for which reservations are kept, including the current month. 13 by default, at least
   * `leastKeptMonths`. Account balances and usage are kept permanently.
   */
  readonly keepMonths?: number
  /** The time from the end of one housekeeping run to the start of the next; 10 minutes by default. */
  readonly tendIntervalMs?: number
}

/** A call may end, and its response be replayed, in the month after its own, so the previous month is needed too. */
export const leastKeptMonths = 2

/** The retry schedule: soon at first, then every second. */
const soonAndAgain = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("1 second")])

/** Callers get a response within ten seconds, including its transfer. */
const defaultPatienceMs = 9_500

/** The minimum time for which a settlement in doubt is retried, however late the doubt arises. */
const leastDoubtMs = 2_000

/**
 * The time for which a release in doubt is retried in the background. A reservation that is still active after that
 * lapses.
 */
const releaseForMs = 30_000

/** The clock difference between a node and the store above which a warning is logged. */
const clockToleranceMs = 2_000

/** Makes `settle` and `release`. Background retries run in `scope`. */
const endings = (
  end: (request: EndRequest) => Effect.Effect<Ending, StoreUnavailable>,
  patienceMs: number,
  scope: Scope.Scope
) => {
  const releaseBehind = (reservation: Reservation) => {
    const request: EndRequest = { reservation, outcome: { _tag: "Release" } }
    return Effect.forkIn(
      Effect.ignore(Effect.timeout(Effect.retry(end(request), soonAndAgain), releaseForMs)),
      scope
    )
  }

  /** Retries a settlement in doubt until the outcome of the reservation is known. */
  const ask = Effect.fnUntraced(function*(request: EndRequest, doubt: StoreUnavailable, startedAt: number) {
    const leftMs = startedAt + patienceMs - (yield* Clock.currentTimeMillis)
    const ending = yield* Effect.retry(end(request), soonAndAgain).pipe(
      Effect.timeoutOrElse({
        duration: Math.max(leastDoubtMs, leftMs),
        orElse: () => Effect.andThen(releaseBehind(request.reservation), Effect.fail(doubt))
      })
    )
    // Only this call settles this reservation, so the attempt in doubt has settled it.
    return ending._tag === "AlreadyEnded" && ending.how === "settled"
      ? { _tag: "Ended" as const, creditsLeft: ending.creditsLeft }
      : ending
  })

  const settle = (reservation: Reservation, answer: string | null): Effect.Effect<Ending, StoreUnavailable> =>
    Effect.clockWith((clock) => {
      const startedAt = clock.currentTimeMillisUnsafe()
      const request: EndRequest = { reservation, outcome: { _tag: "Settle", answer } }
      return Effect.catch(end(request), (doubt) => ask(request, doubt, startedAt))
    })

  const release = (reservation: Reservation) =>
    Effect.tapError(end({ reservation, outcome: { _tag: "Release" } }), () => releaseBehind(reservation))

  return { settle, release }
}

/**
 * Reserves, settles and releases credits for the engine. Concurrent reservations are batched for the store, and so are
 * endings. If a caller is interrupted while it waits for an admission, the admitted reservation is released. After
 * `reserve` returns, the caller must end the reservation. So use `reserve` as the acquisition of an
 * `Effect.acquireUseRelease`.
 */
export class Ledger extends Context.Service<Ledger, {
  /** Requests a reservation of `credits`. The reservation lapses after `ttlMs` unless it is ended or renewed. */
  readonly reserve: (request: ReserveRequest) => Effect.Effect<Admission, StoreUnavailable>
  /**
   * Charges the reservation. A repeat of its idempotency key will receive `answer`. A settlement in doubt is retried,
   * and counts as made if an earlier attempt made it. A failure means that the outcome is unknown. Then a background
   * retry releases the reservation if it is still active.
   */
  readonly settle: (reservation: Reservation, answer: string | null) => Effect.Effect<Ending, StoreUnavailable>
  /** Releases the reservation without a charge. If the release fails, it is retried in the background. */
  readonly release: (reservation: Reservation) => Effect.Effect<Ending, StoreUnavailable>
  /** Extends the lease of a reservation to `ttlMs` from now. Returns false if the reservation has ended. */
  readonly renew: (reservation: Reservation, ttlMs: number) => Effect.Effect<boolean, StoreUnavailable>
  /**
   * Renews the reservation every third of `ttlMs`, for work that runs in another fiber. Returns when the reservation
   * has ended. Continues to try while the store is unavailable.
   */
  readonly keepAlive: (reservation: Reservation, ttlMs: number) => Effect.Effect<void>
  /** Returns the response stored under an idempotency key, or the key's state. Null if the key is free. */
  readonly recall: (
    account: number,
    idempotency: Idempotency
  ) => Effect.Effect<Recollection | null, StoreUnavailable>
  /** Returns the account balance of `month`, by default the current month. Null if the account does not exist. */
  readonly books: (account: number, month?: Month) => Effect.Effect<MonthBooks | null, StoreUnavailable>
  /** Returns the account balance with its usage by day and by caller, as one consistent snapshot. */
  readonly usage: (account: number, month?: Month) => Effect.Effect<MonthUsage | null, StoreUnavailable>
  /**
   * Returns the number of the account's answers of the current UTC day, including running answers, and when the day
   * ends (epoch ms).
   */
  readonly answersToday: (
    account: number
  ) => Effect.Effect<{ readonly count: number; readonly renewsAt: number }, StoreUnavailable>
  /**
   * Changes the account's plan and its monthly credits of the current month. Returns false if the account does not
   * exist.
   */
  readonly changePlan: (account: number, plan: string) => Effect.Effect<boolean, StoreUnavailable>
}>()("@tapeline/core/credits/Ledger") {
  static readonly layerWith = (options: LedgerOptions): Layer.Layer<Ledger, never, LedgerStore> =>
    Layer.effect(
      Ledger,
      Effect.gen(function*() {
        const store = yield* LedgerStore
        const patienceMs = options.patienceMs ?? defaultPatienceMs
        const batching = {
          maxBatch: options.maxBatch ?? 256,
          batchesInFlight: options.batchesInFlight ?? 2,
          patienceMs,
          store: "LedgerStore",
          held: "books"
        }
        const reserve = yield* patientCommit(store.reserve, ({ account }: ReserveRequest) => account, batching)
        const end = yield* patientCommit(store.end, ({ reservation }: EndRequest) => reservation.account, {
          ...batching,
          // The rest of the time is for retries of a settlement.
          patienceMs: Math.max(patienceMs / 2, patienceMs - leastDoubtMs)
        })

        const { release, settle } = endings(end, patienceMs, yield* Effect.scope)
        const giveBack = (exit: Exit.Exit<Admission, StoreUnavailable>) =>
          Exit.isSuccess(exit) && exit.value._tag === "Admitted"
            ? Effect.ignore(release(exit.value.reservation))
            : Effect.void

        yield* Effect.forkScoped(compareClocks(store))

        return Ledger.of({
          reserve: (request) => reserve(request, giveBack),
          settle,
          release,
          renew: store.renew,
          keepAlive: (reservation, ttlMs) => {
            const beat: Effect.Effect<void> = Effect.flatMap(
              Effect.andThen(
                Effect.sleep(ttlMs / 3),
                Effect.catch(store.renew(reservation, ttlMs), () => Effect.succeed(true))
              ),
              (alive) => alive ? beat : Effect.void
            )
            return beat
          },
          recall: store.recall,
          books: (account, month) => store.books(account, month ?? null),
          usage: (account, month) => store.usage(account, month ?? null),
          answersToday: store.answersToday,
          changePlan: store.changePlan
        })
      })
    )

  static readonly layer: Layer.Layer<Ledger, never, LedgerStore> = Ledger.layerWith({})

  /**
   * Expires lapsed reservations and runs the store's housekeeping, now and at intervals. Every node may run it.
   * Failures are retried.
   */
  static readonly layerSweeper = (options: SweeperOptions = {}): Layer.Layer<never, never, LedgerStore> =>
    Layer.effectDiscard(Effect.gen(function*() {
      const store = yield* LedgerStore
      const batch = options.batch ?? 500
      const keepMonths = options.keepMonths ?? 13
      if (!Number.isInteger(keepMonths) || keepMonths < leastKeptMonths) {
        return yield* Effect.die(new RangeError(`keepMonths must be an integer of at least ${leastKeptMonths}`))
      }
      const sweep: Effect.Effect<void, StoreUnavailable> = Effect.flatMap(
        store.expire(batch),
        (count) => count < batch ? Effect.void : sweep
      )
      const again = (what: string, work: Effect.Effect<void, StoreUnavailable>, intervalMs: number) =>
        work.pipe(
          Effect.catchCause((cause) => Effect.logWarning(`${what} failed`, cause)),
          Effect.andThen(Effect.sleep(intervalMs)),
          Effect.forever,
          Effect.forkScoped
        )
      yield* again("A sweep of lapsed reservations", sweep, options.intervalMs ?? 5_000)
      yield* again("The ledger's housekeeping", store.tend(keepMonths), options.tendIntervalMs ?? 600_000)
    }))
}

/**
 * Logs a warning if this node's clock differs from the store's. The ledger uses the store's clock, but logs, key
 * expiries and market data use the node's clock.
 */
const compareClocks = (store: LedgerStore["Service"]): Effect.Effect<void> =>
  Effect.gen(function*() {
    const before = yield* Clock.currentTimeMillis
    const told = yield* store.time
    const after = yield* Clock.currentTimeMillis
    const aheadMs = Math.round((before + after) / 2 - told)
    if (Math.abs(aheadMs) > clockToleranceMs + (after - before) / 2) {
      yield* Effect.logWarning(
        `This node's clock is ${Math.abs(aheadMs)} ms ${aheadMs > 0 ? "ahead of" : "behind"} the database's. ` +
          "Credits go by the database's; set this machine's clock"
      )
    }
  }).pipe(Effect.retry(Schedule.spaced("5 seconds")), Effect.ignore)
