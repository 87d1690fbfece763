import { SandboxBudget, SandboxBusy, SandboxCrowded } from "@tapeline/core/analysis"
import { Deferred, Effect } from "effect"
import { byTheMachinesTime } from "./toItsEnd.ts"

export interface TurnsOptions {
  /** Maximum number of concurrent turns. */
  readonly places: number
  /** Maximum number of concurrent turns of one owner. */
  readonly placesEach: number
  /** Maximum number of waiting entries. */
  readonly maxWaiting: number
  /** Maximum number of waiting entries of one owner. */
  readonly maxWaitingEach: number
  /** The longest turn, in ms, while another owner waits who has not used more time. Most turns end earlier then. */
  readonly crowdedMs: number
  /** The time, in ms of the last minute, after which an owner gets a place only if one is free. */
  readonly budgetMs: number
  /** A monotonic clock, in ms. */
  readonly now?: () => number
}

/** The period over which the use of places is counted. */
const windowMs = 60_000

/** How many times a turn checks, within `crowdedMs`, whether other owners wait. */
const checks = 80

interface Waiting {
  readonly owner: number
  readonly turn: Deferred.Deferred<Running, SandboxBusy>
}

interface Running {
  readonly owner: number
  /** Turns are numbered in the order in which they begin. */
  readonly nth: number
  /** The use of places by the owner when the turn began, in ms. */
  readonly usedBefore: number
  /** When the turn began. Use counts from here. */
  readonly from: number
  /** When the work itself began; undefined while it is being prepared. The time of a slice counts from here. */
  since: number | undefined
  /** The end of the turn; undefined while it runs. */
  until: number | undefined
}

type Refused = SandboxBudget | SandboxBusy | SandboxCrowded

/**
 * Limits concurrent work and shares it fairly among owners.
 *
 * - The next turn goes to the owner who used the least time in the last minute. Among equals, the owner whose last turn
 *   began first is next.
 * - While `n` other owners wait who may run and have not used more, a turn can end with `SandboxCrowded`. It lasts at
 *   least `crowdedMs / max(2, n)`, so that all waiting owners have a turn within about `crowdedMs`.
 * - A repeated turn lasts longer: as long as the use of its owner in the last minute, at most `crowdedMs`. Work that
 *   needs at most `crowdedMs` therefore succeeds after some repeats. This does not apply while an owner waits who used
 *   less than half.
 * - If the queue is full, an owner with nothing in it replaces the newest entry of the owner with the most entries. If
 *   each owner has one entry, it replaces the entry of the owner with the most use, if that owner used more.
 */
export class Turns {
  readonly #options: TurnsOptions
  readonly #now: () => number
  /** The running turns, and those that ended within the last minute. */
  #turns: ReadonlyArray<Running> = []
  #waiting: ReadonlyArray<Waiting> = []
  readonly #granted = new WeakMap<Waiting, Running>()
  #begun = 0

  constructor(options: TurnsOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
  }

  /**
   * Runs `work` in a turn of its owner, which waits for its turn for at most `waitMs`. The time until `work` calls
   * `begin` is preparation: the turn does not end early meanwhile.
   */
  take<A, E, R>(
    owner: number,
    waitMs: number,
    work: (begin: Effect.Effect<void>) => Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | Refused, R> {
    const late = byTheMachinesTime(Effect.andThen(Effect.sleep(waitMs), Effect.fail(new SandboxBusy())))
    return Effect.acquireUseRelease(
      this.#enter(owner),
      ({ turn }) =>
        Effect.flatMap(Effect.raceFirst(Deferred.await(turn), late), (running) => {
          const begin = Effect.sync(() => {
            running.since = this.#now()
          })
          return Effect.raceFirst(work(begin), this.#crowded(running))
        }),
      (one) => this.#leave(one)
    )
  }

  get #running(): ReadonlyArray<Running> {
    return this.#turns.filter(({ until }) => until === undefined)
  }

  /**
   * Returns the use of places by an owner in the last minute, in ms. Preparation counts: it occupies a place, and
   * otherwise owners of very short work would always be next.
   */
  #uses(): (owner: number) => number {
    const now = this.#now()
    this.#turns = this.#turns.filter(({ until = now }) => until > now - windowMs)
    const uses = new Map<number, number>()
    for (const { from, owner, until = now } of this.#turns) uses.set(owner, (uses.get(owner) ?? 0) + until - from)
    return (owner) => uses.get(owner) ?? 0
  }

  #enter(owner: number): Effect.Effect<Waiting, SandboxBudget | SandboxBusy> {
    return Effect.suspend((): Effect.Effect<Waiting, SandboxBudget | SandboxBusy> => {
      const { budgetMs, maxWaiting, maxWaitingEach, places } = this.#options
      if (this.#running.length >= places && this.#uses()(owner) >= budgetMs) return new SandboxBudget()
      const one: Waiting = { owner, turn: Deferred.makeUnsafe() }
      if (this.#running.length < places && this.#mayRun(owner)) {
        this.#begin(one)
        return Effect.succeed(one)
      }
      const own = this.#waiting.filter((other) => other.owner === owner).length
      const hasRoom = this.#waiting.length < maxWaiting || (own === 0 && this.#evictFor(owner))
      if (!hasRoom || own >= maxWaitingEach) return new SandboxBusy()
      this.#waiting = [...this.#waiting, one]
      return Effect.succeed(one)
    })
  }

  #leave(one: Waiting): Effect.Effect<void> {
    return Effect.sync(() => {
      this.#waiting = this.#waiting.filter((other) => other !== one)
      // An entry that leaves the queue had no turn.
      const turn = this.#granted.get(one)
      if (turn !== undefined) turn.until = this.#now()
      this.#giveTurns()
    })
  }

  /** Whether an owner has fewer concurrent turns than its limit. */
  #mayRun(owner: number): boolean {
    return this.#running.filter((one) => one.owner === owner).length < this.#options.placesEach
  }

  #begin(one: Waiting): void {
    const { owner } = one
    const usedBefore = this.#uses()(owner)
    const running = { owner, nth: ++this.#begun, usedBefore, from: this.#now(), since: undefined, until: undefined }
    this.#waiting = this.#waiting.filter((other) => other !== one)
    this.#turns = [...this.#turns, running]
    this.#granted.set(one, running)
    Deferred.doneUnsafe(one.turn, Effect.succeed(running))
  }

  /** Gives free places to the next owners. */
  #giveTurns(): void {
    while (this.#running.length < this.#options.places) {
      const one = this.#next()
      if (one === undefined) return
      this.#begin(one)
    }
  }

  #next(): Waiting | undefined {
    const usedBy = this.#uses()
    const rankOf = (owner: number): readonly [used: number, last: number] => [
      usedBy(owner),
      this.#turns.findLast((turn) => turn.owner === owner)?.nth ?? 0
    ]
    return this.#waiting
      .filter(({ owner }) => this.#mayRun(owner))
      .map((one) => ({ one, rank: rankOf(one.owner) }))
      .sort((a, b) => a.rank[0] - b.rank[0] || a.rank[1] - b.rank[1])[0]?.one
  }

  /** Removes an entry of another owner, so that `owner` may enter; false if there is none to remove. */
  #evictFor(owner: number): boolean {
    const usedBy = this.#uses()
    const entries = [...Map.groupBy(this.#waiting, (one) => one.owner).values()]
    const last = entries
      .filter((own) => own.length > 1 || usedBy(own[0]!.owner) > usedBy(owner))
      .reduce<ReadonlyArray<Waiting>>((a, b) => {
        if (a.length !== b.length) return b.length > a.length ? b : a
        return usedBy(b[0]!.owner) > usedBy(a[0]!.owner) ? b : a
      }, [])
      .at(-1)
    if (last === undefined) return false
    this.#waiting = this.#waiting.filter((one) => one !== last)
    Deferred.doneUnsafe(last.turn, new SandboxBusy())
    return true
  }

  /** How long a turn lasts, in ms, while other owners wait; null if no other owner could use its place. */
  #sliceOf({ owner, usedBefore }: Running): number | null {
    const { crowdedMs } = this.#options
    const usedBy = this.#uses()
    const used = usedBy(owner)
    const others = [...new Set(this.#waiting.map((one) => one.owner))]
      .filter((other) => other !== owner && this.#mayRun(other) && usedBy(other) <= used)
    if (others.length === 0) return null
    const repeated = others.some((other) => usedBy(other) * 2 < usedBefore) ? 0 : Math.min(usedBefore, crowdedMs)
    return Math.max(repeated, crowdedMs / Math.max(2, others.length))
  }

  /** Ends a turn that has lasted long enough while other owners could use its place. */
  #crowded(running: Running): Effect.Effect<never, SandboxCrowded> {
    const everyMs = this.#options.crowdedMs / checks
    const look: Effect.Effect<never, SandboxCrowded> = Effect.suspend(() => {
      const ran = running.since === undefined ? 0 : this.#now() - running.since
      const sliceMs = this.#waiting.length === 0 || ran === 0 ? null : this.#sliceOf(running)
      return sliceMs !== null && ran >= sliceMs
        ? Effect.fail(new SandboxCrowded({ afterMs: Math.round(ran) }))
        : Effect.andThen(Effect.sleep(everyMs), look)
    })
    return byTheMachinesTime(look)
  }
}
