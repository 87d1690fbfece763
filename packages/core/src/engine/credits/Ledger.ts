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

/** How concurrent calls travel to the store together, and how long they bear with it. */
export interface LedgerOptions {
  /** At most so many requests in one batch; 256 by default. */
  readonly maxBatch?: number
  /** At most so many batches of reservations, and of endings, under way at once; 2 by default. */
  readonly batchesInFlight?: number
  /** How long a caller waits for a month that somebody holds, or for a settlement in doubt; 9.5 seconds by default. */
  readonly patienceMs?: number
}

/** How lapsed reservations are swept up, and how long ended ones are kept. */
export interface SweeperOptions {
  /** From the end of one sweep to the start of the next; 5 seconds by default. */
  readonly intervalMs?: number
  /** At most so many reservations in one statement; 500 by default. */
  readonly batch?: number
  /**
   * Reservations of so many months are kept, the one that runs included; 13 by default, `leastKeptMonths` at least.
   * Books and usage stay.
   */
  readonly keepMonths?: number
  /** From the end of one housekeeping to the start of the next; 10 minutes by default. */
  readonly tendIntervalMs?: number
}

/** A call may end, and its answer be replayed, in the month after its own; so the month before is needed too. */
export const leastKeptMonths = 2

/** Tries again what may yet be answered: soon at first, then every second. */
const soonAndAgain = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("1 second")])

/** Callers are promised an answer within ten seconds, its way to them included. */
const defaultPatienceMs = 9_500

/** A settlement in doubt is tried for as long as this, however late the doubt came. */
const leastDoubtMs = 2_000

/** How long a release in doubt is tried behind its caller's back; what then is still reserved lapses. */
const releaseForMs = 30_000

/** A node's clock that is further off than this from the store's is worth a warning. */
const clockToleranceMs = 2_000

/** The two ways in which a reservation's caller ends it. What is left to do behind a caller's back runs in `scope`. */
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

  /** A settlement in doubt, asked again until it is known how the reservation ended. */
  const ask = Effect.fnUntraced(function*(request: EndRequest, doubt: StoreUnavailable, startedAt: number) {
    const leftMs = startedAt + patienceMs - (yield* Clock.currentTimeMillis)
    const ending = yield* Effect.retry(end(request), soonAndAgain).pipe(
      Effect.timeoutOrElse({
        duration: Math.max(leastDoubtMs, leftMs),
        orElse: () => Effect.andThen(releaseBehind(request.reservation), Effect.fail(doubt))
      })
    )
    // Only this call settles this reservation, so it was the try in doubt that did.
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
 * Credits, as the engine uses them. Concurrent reservations travel to the store together, and so do endings. What was
 * admitted for a caller that was interrupted while it waited is given back; from then on the reservation is the
 * caller's to end, so `reserve` belongs in the acquisition of an `Effect.acquireUseRelease`.
 */
export class Ledger extends Context.Service<Ledger, {
  /** Asks for `credits`; the reservation lapses after `ttlMs` unless it is ended or renewed. */
  readonly reserve: (request: ReserveRequest) => Effect.Effect<Admission, StoreUnavailable>
  /**
   * Charges the reservation; `answer` is what a repeat of its idempotency key will get. A settlement in doubt is tried
   * again, and one that turns out to have been made counts as made. When it fails in the end, it is unknown whether it
   * was made; what then is still reserved is given back behind this.
   */
  readonly settle: (reservation: Reservation, answer: string | null) => Effect.Effect<Ending, StoreUnavailable>
  /** Gives the reservation back, uncharged. One in doubt is tried again after this has failed. */
  readonly release: (reservation: Reservation) => Effect.Effect<Ending, StoreUnavailable>
  /** Keeps the reservation of work that still runs alive for `ttlMs` from now; false when it has ended. */
  readonly renew: (reservation: Reservation, ttlMs: number) => Effect.Effect<boolean, StoreUnavailable>
  /**
   * Renews the reservation every third of `ttlMs`, for work that runs beside it in another fiber; returns once the
   * reservation has ended. While the store is away it goes on trying.
   */
  readonly keepAlive: (reservation: Reservation, ttlMs: number) => Effect.Effect<void>
  /** The answer stored under an idempotency key, or how it stands; null when it is free. */
  readonly recall: (
    account: number,
    idempotency: Idempotency
  ) => Effect.Effect<Recollection | null, StoreUnavailable>
  /** The books of `month`, by default the current one; null when there is no such account. */
  readonly books: (account: number, month?: Month) => Effect.Effect<MonthBooks | null, StoreUnavailable>
  /** The same with its usage by day and by who called, all of one instant. */
  readonly usage: (account: number, month?: Month) => Effect.Effect<MonthUsage | null, StoreUnavailable>
  /** The account's answers of the UTC day that runs, those under way included, and when the day ends (epoch ms). */
  readonly answersToday: (
    account: number
  ) => Effect.Effect<{ readonly count: number; readonly renewsAt: number }, StoreUnavailable>
  /** Changes the account's plan and its allotment of the current month; false when there is no such account. */
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
          // What is left is a settlement's, which is tried again.
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
   * Ends lapsed reservations, now and then again and again, and keeps the store's house. Every node may run it; what
   * fails is tried again.
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
 * Says so when this node's clock is off. The ledger goes by the store's, but logs, keys' ends and markets by the
 * node's.
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
