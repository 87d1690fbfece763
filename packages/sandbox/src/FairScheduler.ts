import { SandboxBudget, SandboxBusy, SandboxCrowded } from "@tapeline/core/analysis"
import { Deferred, Effect } from "effect"
import { withSystemClock } from "./runScript.ts"

export interface FairSchedulerOptions {
  readonly maxRunning: number
  readonly maxRunningPerOwner: number
  readonly maxWaiting: number
  readonly maxWaitingPerOwner: number
  /** The maximum run time of a script in milliseconds while an owner that used no more run time waits. */
  readonly contendedMs: number
  /** The run time per minute, in milliseconds, above which an owner's scripts start only if a thread is free. */
  readonly budgetMs: number
  readonly now?: () => number
}

/** The period over which the scheduler counts the run time of an owner, in milliseconds. */
const windowMs = 60_000

/** The number of times that the scheduler checks within `contendedMs` whether other owners wait. */
const checksPerTurn = 80

interface WaitingEntry {
  readonly owner: number
  readonly granted: Deferred.Deferred<Turn, SandboxBusy>
}

interface Turn {
  readonly owner: number
  readonly sequence: number
  readonly usedBefore: number
  /** The time at which the preparation of the script began, from which the owner's run time counts. */
  readonly from: number
  /**
   * The time at which the script began, from which the time slice counts; undefined during the preparation of the
   * script.
   */
  workBeganAt: number | undefined
  endedAt: number | undefined
}

type SchedulerError = SandboxBudget | SandboxBusy | SandboxCrowded

/**
 * Limits concurrent work and shares the run time fairly among owners.
 *
 * - The next turn goes to the owner with the least run time in the last minute. Among owners with equal run time, the
 *   owner whose last turn began first is next.
 * - While `n` other owners wait who may run and have not used more time, a turn can end with `SandboxCrowded`. The turn
 *   lasts at least `contendedMs / max(2, n)`, so that all waiting owners have a turn within about `contendedMs`.
 * - A repeated turn lasts longer: as long as the owner's run time in the last minute, at most `contendedMs`. Work that
 *   needs at most `contendedMs` therefore succeeds after some repetitions. The longer turn does not apply while an
 *   owner waits who used less than half of the run time of the turn's owner.
 * - If the queue is full, a new owner replaces the newest entry of the owner with the most entries. If each owner has
 *   one entry, the owner with the most run time loses its entry, unless the new owner has used as much run time.
 */
export class FairScheduler {
  readonly #options: FairSchedulerOptions
  readonly #now: () => number
  #turns: ReadonlyArray<Turn> = []
  #waiting: ReadonlyArray<WaitingEntry> = []
  readonly #granted = new WeakMap<WaitingEntry, Turn>()
  #turnCount = 0

  constructor(options: FairSchedulerOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
  }

  /**
   * Runs `work` after waiting at most `waitMs` for a free place, and interrupts the work early only after the work runs
   * `begin`.
   */
  run<A, E, R>(
    owner: number,
    waitMs: number,
    work: (begin: Effect.Effect<void>) => Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | SchedulerError, R> {
    const timeout = withSystemClock(Effect.andThen(Effect.sleep(waitMs), Effect.fail(new SandboxBusy())))
    return Effect.acquireUseRelease(
      this.#enterQueue(owner),
      ({ granted }) =>
        Effect.flatMap(Effect.raceFirst(Deferred.await(granted), timeout), (turn) => {
          const begin = Effect.sync(() => {
            turn.workBeganAt = this.#now()
          })
          return Effect.raceFirst(work(begin), this.#failWhenContended(turn))
        }),
      (entry) => this.#leaveQueue(entry)
    )
  }

  get #runningTurns(): ReadonlyArray<Turn> {
    return this.#turns.filter(({ endedAt }) => endedAt === undefined)
  }

  /**
   * Returns a function for an owner's run time in the last minute, in milliseconds, including the preparation of
   * scripts. If the preparation did not count, owners of very short scripts would always be next.
   */
  #measureUsage(): (owner: number) => number {
    const now = this.#now()
    this.#turns = this.#turns.filter(({ endedAt = now }) => endedAt > now - windowMs)
    const usageByOwner = new Map<number, number>()
    for (const { from, owner, endedAt = now } of this.#turns) {
      usageByOwner.set(owner, (usageByOwner.get(owner) ?? 0) + endedAt - from)
    }
    return (owner) => usageByOwner.get(owner) ?? 0
  }

  #enterQueue(owner: number): Effect.Effect<WaitingEntry, SandboxBudget | SandboxBusy> {
    return Effect.suspend((): Effect.Effect<WaitingEntry, SandboxBudget | SandboxBusy> => {
      const { budgetMs, maxWaiting, maxWaitingPerOwner, maxRunning } = this.#options
      if (this.#runningTurns.length >= maxRunning && this.#measureUsage()(owner) >= budgetMs) return new SandboxBudget()
      const entry: WaitingEntry = { owner, granted: Deferred.makeUnsafe() }
      if (this.#runningTurns.length < maxRunning && this.#hasRunCapacity(owner)) {
        this.#startTurn(entry)
        return Effect.succeed(entry)
      }
      const waitingOfOwner = this.#waiting.filter((other) => other.owner === owner).length
      const hasRoom = this.#waiting.length < maxWaiting || (waitingOfOwner === 0 && this.#evictFor(owner))
      if (!hasRoom || waitingOfOwner >= maxWaitingPerOwner) return new SandboxBusy()
      this.#waiting = [...this.#waiting, entry]
      return Effect.succeed(entry)
    })
  }

  #leaveQueue(entry: WaitingEntry): Effect.Effect<void> {
    return Effect.sync(() => {
      this.#waiting = this.#waiting.filter((other) => other !== entry)
      // A queue entry that never started a turn has no turn to end.
      const turn = this.#granted.get(entry)
      if (turn !== undefined) turn.endedAt = this.#now()
      this.#startNextTurns()
    })
  }

  #hasRunCapacity(owner: number): boolean {
    return this.#runningTurns.filter((one) => one.owner === owner).length < this.#options.maxRunningPerOwner
  }

  #startTurn(entry: WaitingEntry): void {
    const { owner } = entry
    const usageBefore = this.#measureUsage()(owner)
    const turn = {
      owner,
      sequence: ++this.#turnCount,
      usedBefore: usageBefore,
      from: this.#now(),
      workBeganAt: undefined,
      endedAt: undefined
    }
    this.#waiting = this.#waiting.filter((other) => other !== entry)
    this.#turns = [...this.#turns, turn]
    this.#granted.set(entry, turn)
    Deferred.doneUnsafe(entry.granted, Effect.succeed(turn))
  }

  #startNextTurns(): void {
    while (this.#runningTurns.length < this.#options.maxRunning) {
      const entry = this.#findNextEntry()
      if (entry === undefined) return
      this.#startTurn(entry)
    }
  }

  #findNextEntry(): WaitingEntry | undefined {
    const usageOf = this.#measureUsage()
    const computeRank = (owner: number): readonly [used: number, last: number] => [
      usageOf(owner),
      this.#turns.findLast((turn) => turn.owner === owner)?.sequence ?? 0
    ]
    return this.#waiting
      .filter(({ owner }) => this.#hasRunCapacity(owner))
      .map((entry) => ({ entry, rank: computeRank(entry.owner) }))
      .sort((a, b) => a.rank[0] - b.rank[0] || a.rank[1] - b.rank[1])[0]?.entry
  }

  /**
   * Removes a waiting entry of another owner so that `owner` can enter the queue, and returns whether an entry was
   * removed.
   */
  #evictFor(owner: number): boolean {
    const usageOf = this.#measureUsage()
    const entries = [...Map.groupBy(this.#waiting, (one) => one.owner).values()]
    const newestEntry = entries
      .filter((own) => own.length > 1 || usageOf(own[0]!.owner) > usageOf(owner))
      .reduce<ReadonlyArray<WaitingEntry>>((a, b) => {
        if (a.length !== b.length) return b.length > a.length ? b : a
        return usageOf(b[0]!.owner) > usageOf(a[0]!.owner) ? b : a
      }, [])
      .at(-1)
    if (newestEntry === undefined) return false
    this.#waiting = this.#waiting.filter((one) => one !== newestEntry)
    Deferred.doneUnsafe(newestEntry.granted, new SandboxBusy())
    return true
  }

  /** Returns the time slice of a script in milliseconds, or null if no waiting owner could use the script's place. */
  #computeSliceMs({ owner, usedBefore }: Turn): number | null {
    const { contendedMs } = this.#options
    const usageOf = this.#measureUsage()
    const ownUsage = usageOf(owner)
    const others = [...new Set(this.#waiting.map((one) => one.owner))]
      .filter((other) => other !== owner && this.#hasRunCapacity(other) && usageOf(other) <= ownUsage)
    if (others.length === 0) return null
    const repeatedSliceMs = others.some((other) => usageOf(other) * 2 < usedBefore)
      ? 0
      : Math.min(usedBefore, contendedMs)
    return Math.max(repeatedSliceMs, contendedMs / Math.max(2, others.length))
  }

  #failWhenContended(turn: Turn): Effect.Effect<never, SandboxCrowded> {
    const checkIntervalMs = this.#options.contendedMs / checksPerTurn
    const check: Effect.Effect<never, SandboxCrowded> = Effect.suspend(() => {
      const ranMs = turn.workBeganAt === undefined ? 0 : this.#now() - turn.workBeganAt
      const sliceMs = this.#waiting.length === 0 || ranMs === 0 ? null : this.#computeSliceMs(turn)
      return sliceMs !== null && ranMs >= sliceMs
        ? Effect.fail(new SandboxCrowded({ afterMs: Math.round(ranMs) }))
        : Effect.andThen(Effect.sleep(checkIntervalMs), check)
    })
    return withSystemClock(check)
  }
}
