import { SandboxBudget, SandboxBusy, SandboxCrowded } from "@tapeline/core/analysis"
import { Deferred, Effect } from "effect"
import { withSystemClock } from "./runScript.ts"

export interface FairSchedulerOptions {
  readonly maxRunning: number
  readonly maxRunningPerOwner: number
  readonly maxWaiting: number
  readonly maxWaitingPerOwner: number
  /** The maximum time slice of a script in milliseconds while other owners wait. */
  readonly contendedMs: number
  /**
   * The run time per minute in milliseconds above which an owner's new scripts are rejected. The limit applies only if
   * the maximum number of scripts is running.
   */
  readonly budgetMs: number
  readonly now?: () => number
}

/** The period over which the scheduler counts the run time of an owner, in milliseconds. */
const windowMs = 60_000

/**
 * The number of checks per `contendedMs`. A check ends a script that has used up its time slice while other owners
 * wait.
 */
const checksPerTurn = 80

interface WaitingEntry {
  readonly owner: number
  readonly granted: Deferred.Deferred<Turn, SandboxBusy>
}

interface Turn {
  readonly owner: number
  readonly sequence: number
  readonly usedBefore: number
  /** The time at which the preparation of the script began. The preparation counts as run time of the owner. */
  readonly from: number
  /**
   * The time at which the script began, or undefined during the preparation of the script. The time slice of the script
   * excludes the preparation.
   */
  workBeganAt: number | undefined
  endedAt: number | undefined
}

type SchedulerError = SandboxBudget | SandboxBusy | SandboxCrowded

/**
 * Limits concurrent work and shares the run time fairly among owners.
 *
 * - If a script ends, the waiting owner with the least run time in the last minute is next. If owners have equal run
 *   times, the owner whose last script began first is next.
 * - A script can end with `SandboxCrowded` if another owner waits that has used no more run time than the script's
 *   owner. If `n` other owners wait, a script can run for at least `contendedMs / max(2, n)` milliseconds.
 * - An owner's time slice is at least its earlier run time in the last minute, up to `contendedMs`. A script of at most
 *   `contendedMs` milliseconds therefore succeeds after some repetitions. The longer time slice does not apply if a
 *   waiting owner has used less than half as much run time.
 * - If the queue is full, an owner without an entry takes the place of the newest entry of the owner with the most
 *   entries. If the queue is full and every owner has one entry, the owner with the most run time loses its entry. If
 *   the new owner has used at least as much run time, its script is rejected instead.
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
   * Runs `work` after waiting in the queue for at most `waitMs` milliseconds. The scheduler does not interrupt `work`
   * before `work` runs `begin`.
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

  /** Returns a function that computes the run time of an owner in the last minute, in milliseconds. */
  #measureUsage(): (owner: number) => number {
    const now = this.#now()
    this.#turns = this.#turns.filter(({ endedAt = now }) => endedAt > now - windowMs)
    const usageByOwner = new Map<number, number>()
    // The run time includes the preparation of scripts, because otherwise owners of very short scripts would always be
    // next.
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
      // An entry that leaves the queue before its turn has no turn to end.
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

  /** Removes an entry of another owner from the queue to admit `owner`. Returns false if no entry can be removed. */
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

  /** Returns the time slice of a script in milliseconds. Returns null if the script may continue. */
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
