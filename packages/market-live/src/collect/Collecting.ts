import type { Interval, SourceUnavailable } from "@tapeline/core/market"
import { type Ranges, unite } from "@tapeline/core/market/store"
import { Clock, Effect } from "effect"
import type { CollectedState } from "./MarketHealth.ts"
import { type Collected, countFault, countRows, tellLag } from "./measures.ts"
import type { StoreNews } from "./StoreNews.ts"

/** Whether nothing in the window is recorded or lost. */
const isUntold = ({ lost, missing: [first], window: { from, to } }: SubjectLacks): boolean =>
  lost.length === 0 && first?.from === from && first.to === to

const lengthOf = (some: Ranges): number => some.reduce((sum, { from, to }) => sum + to - from, 0)

/** Adds a hint if the name is a trading pair instead of a coin. */
const withCoin = (name: string): string => {
  const coin = /^(?<coin>.+?)[-/]?(?:USDT|USDC|USD|KRW)$/u.exec(name)?.groups?.["coin"]
  return coin === undefined ? name : `${name} (name the coin alone: ${coin})`
}

/** The gaps of one subject in the window that should be recorded. */
interface SubjectLacks {
  readonly window: Interval
  readonly missing: Ranges
  readonly lost: Ranges
}

/** The state of one collector in this process, for health and metrics. */
export class Collecting {
  readonly #collected: Collected
  /** When collection began in this process: the start of the lag while nothing is recorded. */
  readonly #since: number
  readonly #storeNews: StoreNews
  #recordedUntil: number | null = null
  #gaps = 0
  #missingMs = 0
  #lostMs = 0
  #wholeAt: number | null = null
  #lastFault: CollectedState["lastFault"] = null
  #unlisted: ReadonlyArray<string> = []

  constructor(collected: Collected, since: number, storeNews: StoreNews) {
    this.#collected = collected
    this.#since = since
    this.#storeNews = storeNews
  }

  state(now: number): CollectedState {
    return {
      name: this.#collected.name,
      lagMs: this.#recordedUntil === null ? null : Math.max(0, now - this.#recordedUntil),
      gaps: this.#gaps,
      missingMs: this.#missingMs,
      lostMs: this.#lostMs,
      wholeAt: this.#wholeAt,
      unlisted: this.#unlisted,
      lastFault: this.#lastFault
    }
  }

  /** The time up to which data is recorded, or when collection began here. The next lead continues from it. */
  get behindSince(): number {
    return this.#recordedUntil ?? this.#since
  }

  wrote(changed: number): Effect.Effect<void> {
    return countRows(this.#collected, changed)
  }

  /** Publishes the lag as a metric. The lag grows while no data arrives, even if none ever arrived. */
  get tell(): Effect.Effect<void> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      return tellLag(this.#collected, { lagMs: Math.max(0, now - this.behindSince), missingMs: this.#missingMs })
    })
  }

  /** Resets the lag, because another process collects from now on, if any, and publishes its own. */
  get ended(): Effect.Effect<void> {
    return tellLag(this.#collected, { lagMs: 0, missingMs: 0 })
  }

  /** Records the gaps of all subjects, for data up to `due`. */
  lacks(due: number, subjects: ReadonlyArray<SubjectLacks>): Effect.Effect<void> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      // A lost interval at the end of the window is not recorded either. A subject without a gap at the end counts as
      // recorded up to `due`, even if it has ended.
      const ends = subjects.map(({ lost, missing, window }) => {
        const last = unite(missing, lost).at(-1)
        return last?.to === window.to ? last.from : due
      })
      const told = ends.filter((_, i) => !isUntold(subjects[i]!))
      // The start of the window does not show how far behind an unrecorded subject is, so the start of collection is
      // used.
      const since = told.length < ends.length ? [this.#since] : []
      if (told.length > 0) this.#recordedUntil = Math.min(...told, ...since)
      this.#gaps = subjects.reduce((sum, { missing }) => sum + missing.length, 0)
      this.#missingMs = subjects.reduce((sum, { missing }) => sum + lengthOf(missing), 0)
      this.#lostMs = subjects.reduce((sum, { lost }) => sum + lengthOf(lost), 0)
      if (ends.length > 0 && ends.every((end) => end === due)) this.#wholeAt = now
      return this.tell
    })
  }

  /** Records that all data up to `at` is stored. */
  isWhole(at: number): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.#recordedUntil = at
      this.#wholeAt = at
      return this.tell
    })
  }

  /** Warns once about each subject that the operator wants and no source lists. */
  lists(unlisted: ReadonlyArray<string>): Effect.Effect<void> {
    return Effect.suspend(() => {
      const news = unlisted.filter((one) => !this.#unlisted.includes(one))
      this.#unlisted = unlisted
      return news.length === 0
        ? Effect.void
        : Effect.logWarning(
          `no source lists ${news.map(withCoin).join(", ")}: no ${this.#collected.name} are collected of it`
        )
    })
  }

  failed(failure: NonNullable<CollectedState["lastFault"]>["failure"], reason: string): Effect.Effect<void> {
    return Effect.flatMap(Clock.currentTimeMillis, (at) => {
      this.#lastFault = { at, failure, reason }
      const counted = countFault(this.#collected, failure)
      if (failure !== "store") return counted
      const { name, source } = this.#collected
      return Effect.andThen(counted, this.#storeNews.failed(at, `${name} from ${source} was collected`, reason))
    })
  }

  sourceFailed({ failure, reason }: SourceUnavailable): Effect.Effect<void> {
    return this.failed(failure, reason)
  }
}
