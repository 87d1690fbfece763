import { Context, Effect } from "effect"

/** What one question may still wait for a slow store, ms. */
export interface Patience {
  leftMs: number
}

/** Waiting for a store that is well: it costs no patience. */
const usualMs = 20
const usualDayMs = 1

/** What a question waits for a slow store in all, before it computes the rest. */
const patienceMs = 250

/** Without a question to spare, a store is waited for as long as each read may take. */
const endless = (): Patience => ({ leftMs: Infinity })

/** Of the question that is being answered. */
export const Patience = Context.Reference<Patience>("@tapeline/core/signals/Patience", { defaultValue: endless })

/** One question: all that it reads has one patience. */
export const patiently = <A, E, R>(question: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => Effect.provideService(question, Patience, { leftMs: patienceMs }))

/** A read of so many days took so long. */
export const spend = (patience: Patience, tookMs: number, days: number): void => {
  patience.leftMs -= Math.max(0, tookMs - usualMs - usualDayMs * days)
}
