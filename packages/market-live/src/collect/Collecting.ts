import type { Interval, SourceUnavailable } from "@tapeline/core/market"
import { type Ranges, unite } from "@tapeline/core/market/store"
import { Clock, Effect } from "effect"
import type { CollectedState } from "./MarketHealth.ts"
import { type Collected, countFault, countRows, tellLag } from "./measures.ts"
import type { StoreNews } from "./StoreNews.ts"

/** Nothing of it is known, neither what it was nor that it is lost. */
const isUntold = ({ lost, missing: [first], window: { from, to } }: SubjectLacks): boolean =>
  lost.length === 0 && first?.from === from && first.to === to

const lengthOf = (some: Ranges): number => some.reduce((sum, { from, to }) => sum + to - from, 0)

/** A pair is no coin: whoever named one meant its coin. */
const withCoin = (name: string): string => {
  const coin = /^(?<coin>.+?)[-/]?(?:USDT|USDC|USD|KRW)$/u.exec(name)?.groups?.["coin"]
  return coin === undefined ? name : `${name} (name the coin alone: ${coin})`
}

/** What a subject lacks of the window that is wanted of it. */
interface SubjectLacks {
  readonly window: Interval
  readonly missing: Ranges
  readonly lost: Ranges
}

/** How one collector does, as it goes; told by health and metrics. */
export class Collecting {
  readonly #collected: Collected
  /** While nothing is known of it, it is behind since then: since when it is collected here. */
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

  /** Until when it is recorded, or else since when it is collected here: what is behind goes on from there. */
  get behindSince(): number {
    return this.#recordedUntil ?? this.#since
  }

  wrote(changed: number): Effect.Effect<void> {
    return countRows(this.#collected, changed)
  }

  /** Tells metrics how far behind it is by now: that grows while nothing is told, also where nothing ever was. */
  get tell(): Effect.Effect<void> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      return tellLag(this.#collected, { lagMs: Math.max(0, now - this.behindSince), missingMs: this.#missingMs })
    })
  }

  /** It is collected here no more, but by another process, if at all: that tells how far behind it is. */
  get ended(): Effect.Effect<void> {
    return tellLag(this.#collected, { lagMs: 0, missingMs: 0 })
  }

  /** What subjects lack now of what is due in the windows that are wanted of them. */
  lacks(due: number, subjects: ReadonlyArray<SubjectLacks>): Effect.Effect<void> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      // What was lost just now is not recorded either; of what has ended nothing more is awaited.
      const ends = subjects.map(({ lost, missing, window }) => {
        const last = unite(missing, lost).at(-1)
        return last?.to === window.to ? last.from : due
      })
      const told = ends.filter((_, i) => !isUntold(subjects[i]!))
      // How far back it is wanted does not say how far behind is what was never told.
      const since = told.length < ends.length ? [this.#since] : []
      if (told.length > 0) this.#recordedUntil = Math.min(...told, ...since)
      this.#gaps = subjects.reduce((sum, { missing }) => sum + missing.length, 0)
      this.#missingMs = subjects.reduce((sum, { missing }) => sum + lengthOf(missing), 0)
      this.#lostMs = subjects.reduce((sum, { lost }) => sum + lengthOf(lost), 0)
      if (ends.length > 0 && ends.every((end) => end === due)) this.#wholeAt = now
      return this.tell
    })
  }

  /** All is there as of an instant. */
  isWhole(at: number): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.#recordedUntil = at
      this.#wholeAt = at
      return this.tell
    })
  }

  /** Says once of what is to be collected and no source lists that it is not collected. */
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
