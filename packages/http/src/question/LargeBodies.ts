import { RequestTimeout, TooManyLargeBodies } from "@tapeline/api"
import { Effect, Semaphore } from "effect"
import { measureEveryMs, type Upload } from "./Upload.ts"

/** Large bodies that are in memory at once, of all accounts and of one. */
const atOnce = 4
const atOncePerAccount = 1
/** The same with those that wait. Who waits longer than a request may take is cut off, so few do. */
const most = 32
const mostPerAccount = 4
/** An upload that needs no longer than this keeps its place. */
const nearlyDoneMs = 2_000

/** Who may have a large body in memory: few at once, and of one account fewer, so that nobody shuts the others out. */
export class LargeBodies {
  readonly #all = Semaphore.makeUnsafe(atOnce)
  readonly #accounts = new Map<number, { readonly semaphore: Semaphore.Semaphore; users: number }>()
  readonly #uploads = new Set<Upload>()
  #users = 0
  /** Requests that wait for a place of another account, and uploads that were evicted for them just now. */
  #waiting = 0
  #evicted = 0

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
      ({ semaphore }) => semaphore.withPermits(1)(this.#placed(use)),
      (own) =>
        Effect.sync(() => {
          this.#users--
          if (--own.users === 0) this.#accounts.delete(account)
        })
    )
  }

  /** Runs `use` in one of the places of all accounts. */
  #placed<A, E, R>(use: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      let isWaiting = true
      this.#waiting++
      const leave = Effect.sync(() => {
        if (!isWaiting) return
        isWaiting = false
        this.#waiting--
        this.#evicted = Math.max(0, this.#evicted - 1)
      })
      return Effect.ensuring(this.#all.withPermits(1)(Effect.andThen(leave, use)), leave)
    })
  }

  /**
   * Runs `receive`, which reads the body of an upload that has a place. An upload that comes too slowly fails. While
   * others wait for a place, so does the upload that needs the longest for its rest: the one that is nearest to its end
   * always goes on.
   */
  receive<A, E, R>(upload: Upload, receive: Effect.Effect<A, E, R>): Effect.Effect<A, E | RequestTimeout, R> {
    const watch = Effect.gen({ self: this }, function*() {
      for (;;) {
        yield* Effect.sleep(measureEveryMs)
        upload.measure()
        if (upload.isTooSlow || this.#evicts(upload)) return yield* new RequestTimeout()
      }
    })
    return Effect.suspend(() => {
      this.#uploads.add(upload)
      return Effect.ensuring(Effect.raceFirst(receive, watch), Effect.sync(() => this.#uploads.delete(upload)))
    })
  }

  /** Whether an upload makes room for a request that waits. Each such request is worth one upload. */
  #evicts(upload: Upload): boolean {
    const { remainingMs } = upload
    if (this.#waiting <= this.#evicted || remainingMs <= nearlyDoneMs) return false
    for (const other of this.#uploads) if (other.remainingMs > remainingMs) return false
    this.#evicted++
    return true
  }
}
