import { Effect, Semaphore } from "effect"

/** Large bodies that are in memory at once, of all accounts and of one. */
const atOnce = 4
const atOncePerAccount = 1

/** Who may have a large body in memory: few at once, and of one account fewer, so that nobody shuts the others out. */
export class LargeBodies {
  readonly #all = Semaphore.makeUnsafe(atOnce)
  readonly #accounts = new Map<number, { readonly semaphore: Semaphore.Semaphore; users: number }>()

  /** Runs `use` once there is room for a body of the account; until then nothing of it is read. */
  admit<A, E, R>(account: number, use: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.acquireUseRelease(
      Effect.sync(() => {
        const own = this.#accounts.get(account) ?? { semaphore: Semaphore.makeUnsafe(atOncePerAccount), users: 0 }
        this.#accounts.set(account, own)
        own.users++
        return own
      }),
      ({ semaphore }) => semaphore.withPermits(1)(this.#all.withPermits(1)(use)),
      (own) =>
        Effect.sync(() => {
          if (--own.users === 0) this.#accounts.delete(account)
        })
    )
  }
}
