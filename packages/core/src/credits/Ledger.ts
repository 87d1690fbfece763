import { Clock, Context, Effect, Exit, Layer, Request, RequestResolver } from "effect"
import type { StoreUnavailable } from "../access/KeyStore.ts"
import type { Admission, EndRequest, Ending, Idempotency, MonthBooks, Reservation, ReserveRequest } from "./LedgerStore.ts"
import { LedgerStore } from "./LedgerStore.ts"
import { type Month, monthOf } from "./month.ts"

class Reserve extends Request.Class<{ readonly request: ReserveRequest }, Admission, StoreUnavailable> {}
class End extends Request.Class<{ readonly request: EndRequest }, Ending, StoreUnavailable> {}

/**
 * Credits, as the engine uses them. Concurrent reservations travel to the store together, and so do endings. A caller
 * that is interrupted while it waits leaves its reservation standing, so `reserve` belongs in the acquisition of an
 * `Effect.acquireUseRelease`, never outside one.
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
  readonly recall: LedgerStore["Service"]["recall"] extends
    (account: number, idempotency: Idempotency, now: number) => infer R
    ? (account: number, idempotency: Idempotency) => R
    : never
  /** The books of `month`, by default the current one; null when there is no such account. */
  readonly books: (account: number, month?: Month) => Effect.Effect<MonthBooks | null, StoreUnavailable>
  /** Changes the account's plan and its allotment of the current month; false when there is no such account. */
  readonly changePlan: (account: number, plan: string) => Effect.Effect<boolean, StoreUnavailable>
}>()("@tapeline/core/credits/Ledger") {
  static readonly layer: Layer.Layer<Ledger, never, LedgerStore> = Layer.effect(
    Ledger,
    Effect.gen(function*() {
      const store = yield* LedgerStore

      const reserves = RequestResolver.make<Reserve>((entries) =>
        Effect.map(store.reserve(entries.map((entry) => entry.request.request)), (admissions) => {
          entries.forEach((entry, i) => entry.completeUnsafe(Exit.succeed(admissions[i]!)))
        })
      )
      const ends = RequestResolver.make<End>((entries) =>
        Effect.map(store.end(entries.map((entry) => entry.request.request)), (endings) => {
          entries.forEach((entry, i) => entry.completeUnsafe(Exit.succeed(endings[i]!)))
        })
      )
      const end = (reservation: Reservation, outcome: EndRequest["outcome"]) =>
        Effect.flatMap(
          Clock.currentTimeMillis,
          (now) => Effect.request(new End({ request: { reservation, now, outcome } }), ends)
        )

      return Ledger.of({
        reserve: ({ ttlMs, ...request }) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            Effect.request(new Reserve({ request: { ...request, now, expiresAt: now + ttlMs } }), reserves)),
        settle: (reservation, answer) => end(reservation, { _tag: "Settle", answer }),
        release: (reservation) => end(reservation, { _tag: "Release" }),
        renew: (reservation, ttlMs) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => store.renew(reservation, now, now + ttlMs)),
        recall: (account, idempotency) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => store.recall(account, idempotency, now)),
        books: (account, month) =>
          month === undefined
            ? Effect.flatMap(Clock.currentTimeMillis, (now) => store.books(account, monthOf(now)))
            : store.books(account, month),
        changePlan: (account, plan) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => store.changePlan(account, plan, monthOf(now)))
      })
    })
  )
}
