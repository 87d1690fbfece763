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
  /** The longest turn, in ms, while another owner waits who has not used more time. */
  readonly crowdedMs: number
  /** The time, in ms of the last minute, after which an owner gets a place only if one is free. */
  readonly budgetMs: number
  /** A monotonic clock, in ms. */
  readonly now?: () => number
}

/** The period over which the use of places is counted. */
const windowMs = 60_000

/** The unit of use. Owners with the same number of units take turns. */
const unitMs = 1_000

/** How often a long turn checks whether other owners wait. */
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
  /** The end of the turn; undefined while it runs. */
  until: number | undefined
}

type Refused = SandboxBudget | SandboxBusy | SandboxCrowded

/**
 * Limits concurrent work and shares it fairly among owners. The next turn goes to the owner who used the least time in
 * the last minute; among equals, to the owner whose last turn began first. A turn longer than `crowdedMs` ends with
 * `SandboxCrowded` while another owner waits who may run and has not used more. If the queue is full, an owner with
 * nothing in it replaces the newest entry of the owner with the most entries.
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

  /** Runs `work` in a turn of its owner. */
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

  /** The use of places by an owner in the last minute, in units of `unitMs`. */
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
    const running = { owner: one.owner, nth: ++this.#begun, since: this.#now(), until: undefined }
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
    const rankOf = (owner: number): readonly [used: number, last: number] => [
      this.#usedBy(owner),
      this.#turns.findLast((turn) => turn.owner === owner)?.nth ?? 0
    ]
    return this.#waiting
      .filter(({ owner }) => this.#mayRun(owner))
      .map((one) => ({ one, rank: rankOf(one.owner) }))
      .sort((a, b) => a.rank[0] - b.rank[0] || a.rank[1] - b.rank[1])[0]?.one
  }

  /** Removes the newest entry of the owner with the most entries; false if no owner has two. */
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
