import { Context, Effect } from "effect"

/** The time that a query may still wait for a slow store, ms. */
export interface Patience {
  leftMs: number
}

/** The response time of a healthy store, which does not count. */
const usualMs = 20
const usualDayMs = 1

/** The total time that a query waits for a slow store, before it computes the remaining days. */
const patienceMs = 250

/** Outside a query, each read may use its full time limit. */
const endless = (): Patience => ({ leftMs: Infinity })

/** The remaining waiting time of the current query. */
export const Patience = Context.Reference<Patience>("@tapeline/core/signals/Patience", { defaultValue: endless })

/** Runs a query. All of its reads share one waiting time. */
export const patiently = <A, E, R>(question: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => Effect.provideService(question, Patience, { leftMs: patienceMs }))

/** Deducts the time of a read of `days` days. */
export const spend = (patience: Patience, tookMs: number, days: number): void => {
  patience.leftMs -= Math.max(0, tookMs - usualMs - usualDayMs * days)
}
