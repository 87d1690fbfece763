import { TooManyLargeBodies } from "@tapeline/api"
import { Effect, Semaphore } from "effect"

/** Large bodies that are in memory at once, of all accounts and of one. */
const atOnce = 4
const atOncePerAccount = 1
/** The same with those that wait. Who waits longer than a request may take is cut off, so few do. */
const most = 32
const mostPerAccount = 4

/** Who may have a large body in memory: few at once, and of one account fewer, so that nobody shuts the others out. */
export class LargeBodies {
  readonly #all = Semaphore.makeUnsafe(atOnce)
  readonly #accounts = new Map<number, { readonly semaphore: Semaphore.Semaphore; users: number }>()
  #users = 0

  /**
   * Runs `use` once there is room for a body of the account; until then nothing of it is read. Where as many wait as
   * may, it is refused.
   */
  admit<A, E, R>(account: number, use: Effect.Effect<A, E, R>): Effect.Effect<A, E | TooManyLargeBodies, R> {
    return Effect.acquireUseRelease(
      Effect.suspend(() => {
        const own = this.#accounts.get(account) ?? { semaphore: Semaphore.makeUnsafe(atOncePerAccount), users: 0 }
        if (this.#users >= most || own.users >= mostPerAccount) return Effect.fail(new TooManyLargeBodies())
        this.#accounts.set(account, own)
        own.users++
        this.#users++
        return Effect.succeed(own)
      }),
      ({ semaphore }) => semaphore.withPermits(1)(this.#all.withPermits(1)(use)),
      (own) =>
        Effect.sync(() => {
          this.#users--
          if (--own.users === 0) this.#accounts.delete(account)
        })
    )
  }
}
