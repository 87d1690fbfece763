import { SandboxBudget, SandboxBusy, SandboxCrowded } from "@tapeline/core/code"
import { Deferred, Effect } from "effect"
import { byTheMachinesTime } from "./toItsEnd.ts"

export interface TurnsOptions {
  /** How many have a turn at once. */
  readonly places: number
  /** How many of one owner have a turn at once. */
  readonly placesEach: number
  /** How many may wait. */
  readonly maxWaiting: number
  /** How many of one owner may wait. */
  readonly maxWaitingEach: number
  /** How long a turn lasts at most, in ms, while somebody waits who has not used more. */
  readonly crowdedMs: number
  /** An owner who had places for so long in the last minute, in ms, gets none while there is none free. */
  readonly budgetMs: number
  /** The machine's time in ms, which nobody sets. */
  readonly now?: () => number
}

/** The time for which it counts how long an owner had a place. */
const windowMs = 60_000

/** Owners whose uses differ by less than that have used alike. */
const unitMs = 1_000

/** How often a long turn looks whether others wait. */
const lookEveryMs = 100

interface Waiting {
  readonly owner: number
  readonly turn: Deferred.Deferred<Running, SandboxBusy>
}

interface Running {
  readonly owner: number
  /** Turns are numbered in the order in which they begin. */
  readonly nth: number
  readonly since: number
  /** Undefined while it runs. */
  until: number | undefined
}

type Refused = SandboxBudget | SandboxBusy | SandboxCrowded

/**
 * Turns: so many at once, and the others wait. The next turn is given to the owner who had places for the shortest time
 * in the last minute, and of those who used alike to the one whose last turn began first. A turn that has lasted for
 * `crowdedMs` ends with `SandboxCrowded` while somebody could take its place who has not used more. Where no more may
 * wait, an owner with nothing waiting takes the place of the last one of whoever has most waiting; else it fails.
 */
export class Turns {
  readonly #options: TurnsOptions
  readonly #now: () => number
  /** Those that run, and those of the last minute. */
  #turns: ReadonlyArray<Running> = []
  #waiting: ReadonlyArray<Waiting> = []
  readonly #granted = new WeakMap<Waiting, Running>()
  #begun = 0

  constructor(options: TurnsOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
  }

  /** Does `work` in a turn of its owner. */
  take<A, E, R>(owner: number, work: Effect.Effect<A, E, R>): Effect.Effect<A, E | Refused, R> {
    return Effect.acquireUseRelease(
      this.#enter(owner),
      ({ turn }) => Effect.flatMap(Deferred.await(turn), (running) => Effect.raceFirst(work, this.#crowded(running))),
      (one) => this.#leave(one)
    )
  }

  get #running(): ReadonlyArray<Running> {
    return this.#turns.filter(({ until }) => until === undefined)
  }

  /** How long an owner had places in the last minute, in units of `unitMs`. */
  #usedBy(owner: number): number {
    const now = this.#now()
    this.#turns = this.#turns.filter(({ until = now }) => until > now - windowMs)
    const own = this.#turns.filter((turn) => turn.owner === owner)
    return Math.floor(own.reduce((sum, { since, until = now }) => sum + until - since, 0) / unitMs)
  }

  #enter(owner: number): Effect.Effect<Waiting, SandboxBudget | SandboxBusy> {
    return Effect.suspend((): Effect.Effect<Waiting, SandboxBudget | SandboxBusy> => {
      const { budgetMs, maxWaiting, maxWaitingEach, places } = this.#options
      if (this.#running.length >= places && this.#usedBy(owner) * unitMs >= budgetMs) return new SandboxBudget()
      const one: Waiting = { owner, turn: Deferred.makeUnsafe() }
      if (this.#running.length < places && this.#mayRun(owner)) {
        this.#begin(one)
        return Effect.succeed(one)
      }
      const own = this.#waiting.filter((other) => other.owner === owner).length
      const hasRoom = this.#waiting.length < maxWaiting || (own === 0 && this.#evict())
      if (!hasRoom || own >= maxWaitingEach) return new SandboxBusy()
      this.#waiting = [...this.#waiting, one]
      return Effect.succeed(one)
    })
  }

  #leave(one: Waiting): Effect.Effect<void> {
    return Effect.sync(() => {
      this.#waiting = this.#waiting.filter((other) => other !== one)
      // Who leaves while it waits had no turn.
      const turn = this.#granted.get(one)
      if (turn !== undefined) turn.until = this.#now()
      this.#giveTurns()
    })
  }

  /** Whether an owner has fewer turns than it may have at once. */
  #mayRun(owner: number): boolean {
    return this.#running.filter((one) => one.owner === owner).length < this.#options.placesEach
  }

  #begin(one: Waiting): void {
    const running = { owner: one.owner, nth: ++this.#begun, since: this.#now(), until: undefined }
    this.#waiting = this.#waiting.filter((other) => other !== one)
    this.#turns = [...this.#turns, running]
    this.#granted.set(one, running)
    Deferred.doneUnsafe(one.turn, Effect.succeed(running))
  }

  /** Gives free places to who comes next. */
  #giveTurns(): void {
    while (this.#running.length < this.#options.places) {
      const one = this.#next()
      if (one === undefined) return
      this.#begin(one)
    }
  }

  #next(): Waiting | undefined {
    const rankOf = (owner: number): readonly [used: number, last: number] => [
      this.#usedBy(owner),
      this.#turns.findLast((turn) => turn.owner === owner)?.nth ?? 0
    ]
    return this.#waiting
      .filter(({ owner }) => this.#mayRun(owner))
      .map((one) => ({ one, rank: rankOf(one.owner) }))
      .sort((a, b) => a.rank[0] - b.rank[0] || a.rank[1] - b.rank[1])[0]?.one
  }

  /** Makes room for somebody with nothing waiting; false where nobody has more than one. */
  #evict(): boolean {
    const most = [...Map.groupBy(this.#waiting, ({ owner }) => owner).values()]
      .reduce((a, b) => b.length > a.length ? b : a, [])
    const last = most.at(-1)
    if (last === undefined || most.length < 2) return false
    this.#waiting = this.#waiting.filter((one) => one !== last)
    Deferred.doneUnsafe(last.turn, new SandboxBusy())
    return true
  }

  /** Ends a turn that has lasted long enough while another owner could use its place. */
  #crowded({ owner, since }: Running): Effect.Effect<never, SandboxCrowded> {
    const { crowdedMs } = this.#options
    const isCrowded = () => {
      const used = this.#usedBy(owner)
      return this.#waiting.some((one) =>
        one.owner !== owner && this.#mayRun(one.owner) && this.#usedBy(one.owner) <= used
      )
    }
    const look: Effect.Effect<never, SandboxCrowded> = Effect.suspend(() =>
      isCrowded()
        ? Effect.fail(new SandboxCrowded({ afterMs: crowdedMs }))
        : Effect.andThen(Effect.sleep(lookEveryMs), look)
    )
    return byTheMachinesTime(
      Effect.andThen(Effect.suspend(() => Effect.sleep(Math.max(0, since + crowdedMs - this.#now()))), look)
    )
  }
}
