import { Clock, Context, Effect, Exit, Layer } from "effect"
import type { StoreUnavailable } from "../store/StoreUnavailable.ts"
import { groupCommit } from "./groupCommit.ts"
import type { Admission, Ending, EndRequest, Idempotency, MonthBooks, Reservation } from "./LedgerStore.ts"
import { LedgerStore } from "./LedgerStore.ts"
import { dayOf, type Month, monthOf } from "./month.ts"

/** How concurrent calls travel to the store together. */
export interface LedgerOptions {
  /** At most so many requests in one batch; 256 by default. */
  readonly maxBatch?: number
  /** At most so many batches of reservations, and of endings, under way at once; 2 by default. */
  readonly batchesInFlight?: number
}

/** How lapsed reservations are swept up. */
export interface SweeperOptions {
  /** From the end of one sweep to the start of the next; 5 seconds by default. */
  readonly intervalMs?: number
  /** At most so many reservations in one statement; 500 by default. */
  readonly batch?: number
}

/**
 * Credits, as the engine uses them. Concurrent reservations travel to the store together, and so do endings. What was
 * admitted for a caller that was interrupted while it waited is given back; from then on the reservation is the
 * caller's to end, so `reserve` belongs in the acquisition of an `Effect.acquireUseRelease`.
 */
export class Ledger extends Context.Service<Ledger, {
  /** Asks for `credits`; the reservation lapses after `ttlMs` unless it is ended or renewed. */
  readonly reserve: (request: {
    readonly account: number
    readonly key: number
    readonly tool: string
    readonly credits: number
    readonly ttlMs: number
    readonly idempotency: Idempotency | null
  }) => Effect.Effect<Admission, StoreUnavailable>
  /** Charges the reservation; `answer` is what a repeat of its idempotency key will get. */
  readonly settle: (reservation: Reservation, answer: string | null) => Effect.Effect<Ending, StoreUnavailable>
  /** Gives the reservation back, uncharged. */
  readonly release: (reservation: Reservation) => Effect.Effect<Ending, StoreUnavailable>
  /** Keeps the reservation of work that still runs alive for `ttlMs` from now; false when it has ended. */
  readonly renew: (reservation: Reservation, ttlMs: number) => Effect.Effect<boolean, StoreUnavailable>
  /**
   * Renews the reservation every third of `ttlMs`, for work that runs beside it in another fiber; returns once the
   * reservation has ended. While the store is away it goes on trying.
   */
  readonly keepAlive: (reservation: Reservation, ttlMs: number) => Effect.Effect<void>
  readonly recall: LedgerStore["Service"]["recall"] extends
    (account: number, idempotency: Idempotency, now: number) => infer R
    ? (account: number, idempotency: Idempotency) => R
    : never
  /** The books of `month`, by default the current one; null when there is no such account. */
  readonly books: (account: number, month?: Month) => Effect.Effect<MonthBooks | null, StoreUnavailable>
  /** The account's answers of the UTC day that runs, those under way included. */
  readonly answersToday: (account: number) => Effect.Effect<number, StoreUnavailable>
  /** Changes the account's plan and its allotment of the current month; false when there is no such account. */
  readonly changePlan: (account: number, plan: string) => Effect.Effect<boolean, StoreUnavailable>
}>()("@tapeline/core/credits/Ledger") {
  static readonly layerWith = (options: LedgerOptions): Layer.Layer<Ledger, never, LedgerStore> =>
    Layer.effect(
      Ledger,
      Effect.gen(function*() {
        const store = yield* LedgerStore
        const batching = { maxBatch: options.maxBatch ?? 256, batchesInFlight: options.batchesInFlight ?? 2 }
        const reserve = groupCommit(store.reserve, batching)
        const end = groupCommit(store.end, batching)

        const endAs = (reservation: Reservation, outcome: EndRequest["outcome"]) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => end({ reservation, now, outcome }))
        const giveBack = (exit: Exit.Exit<Admission, StoreUnavailable>) =>
          Exit.isSuccess(exit) && exit.value._tag === "Admitted"
            ? Effect.ignore(endAs(exit.value.reservation, { _tag: "Release" }))
            : Effect.void
        const renew = (reservation: Reservation, ttlMs: number) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => store.renew(reservation, now, now + ttlMs))

        return Ledger.of({
          reserve: ({ ttlMs, ...request }) =>
            Effect.flatMap(
              Clock.currentTimeMillis,
              (now) => reserve({ ...request, now, expiresAt: now + ttlMs }, giveBack)
            ),
          settle: (reservation, answer) => endAs(reservation, { _tag: "Settle", answer }),
          release: (reservation) => endAs(reservation, { _tag: "Release" }),
          renew,
          keepAlive: (reservation, ttlMs) => {
            const beat: Effect.Effect<void> = Effect.flatMap(
              Effect.andThen(
                Effect.sleep(ttlMs / 3),
                Effect.catch(renew(reservation, ttlMs), () => Effect.succeed(true))
              ),
              (alive) => alive ? beat : Effect.void
            )
            return beat
          },
          recall: (account, idempotency) =>
            Effect.flatMap(Clock.currentTimeMillis, (now) => store.recall(account, idempotency, now)),
          books: (account, month) =>
            month === undefined
              ? Effect.flatMap(Clock.currentTimeMillis, (now) => store.books(account, monthOf(now)))
              : store.books(account, month),
          answersToday: (account) =>
            Effect.flatMap(Clock.currentTimeMillis, (now) => store.answersSince(account, dayOf(now))),
          changePlan: (account, plan) =>
            Effect.flatMap(Clock.currentTimeMillis, (now) => store.changePlan(account, plan, monthOf(now)))
        })
      })
    )

  static readonly layer: Layer.Layer<Ledger, never, LedgerStore> = Ledger.layerWith({})

  /** Ends lapsed reservations, now and then again and again. Every node may run it; a sweep that fails is tried again. */
  static readonly layerSweeper = (options: SweeperOptions = {}): Layer.Layer<never, never, LedgerStore> =>
    Layer.effectDiscard(Effect.gen(function*() {
      const store = yield* LedgerStore
      const batch = options.batch ?? 500
      const sweep: Effect.Effect<void, StoreUnavailable> = Effect.flatMap(
        Effect.flatMap(Clock.currentTimeMillis, (now) => store.expire(now, batch)),
        (count) => count < batch ? Effect.void : sweep
      )
      yield* sweep.pipe(
        Effect.catchCause((cause) => Effect.logWarning("A sweep of lapsed reservations failed", cause)),
        Effect.andThen(Effect.sleep(options.intervalMs ?? 5_000)),
        Effect.forever,
        Effect.forkScoped
      )
    }))
}
