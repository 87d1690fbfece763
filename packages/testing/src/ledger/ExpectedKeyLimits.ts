import type { Actor, KeyCredits, Month } from "@tapeline/core/engine"
import type { ExpectedEntry } from "./expectedEntries.ts"

/** A key of a model run. `firstKey` is the first key of its chain of rotations. */
export interface ModelKey {
  readonly id: number
  readonly account: number
  readonly firstKey: number
}

/** The expected credits of a chain of rotated keys in a month. */
interface ExpectedKeyMonth {
  readonly account: number
  readonly month: Month
  readonly key: number
  credits: number
  cap: number
}

/** Predicts the credits of keys with monthly credits of their own. */
export class ExpectedKeyLimits {
  readonly keys: Array<ModelKey> = []
  readonly #entries: ReadonlyArray<ExpectedEntry>
  readonly #creditsByFirstKey = new Map<number, number>()
  readonly #months = new Map<string, ExpectedKeyMonth>()

  constructor(entries: ReadonlyArray<ExpectedEntry>) {
    this.#entries = entries
  }

  #sum({ account, key, month }: Pick<ExpectedKeyMonth, "account" | "key" | "month">, state: ExpectedEntry["state"]) {
    const chain = this.keys.filter(({ firstKey }) => firstKey === key).map(({ id }) => id)
    return this.#entries
      .filter(({ actor, reservation, state: entryState }) =>
        entryState === state && reservation.account === account && reservation.month === month &&
        actor._tag === "Key" && chain.includes(actor.key)
      )
      .reduce((sum, { reservation }) => sum + reservation.credits, 0)
  }

  #sums(row: Pick<ExpectedKeyMonth, "account" | "key" | "month">) {
    return { used: this.#sum(row, "settled"), reserved: this.#sum(row, "reserved") }
  }

  openMonth(account: number, month: Month): void {
    for (const { account: owner, firstKey: key } of this.keys) {
      const credits = this.#creditsByFirstKey.get(key)
      if (owner !== account || credits === undefined) continue
      this.#months.set(`${month}/${key}`, { account, month, key, credits, cap: credits })
    }
  }

  /** Applies a change of the monthly credits of a key in the months of its account that have not ended. */
  limit({ account, firstKey: key }: ModelKey, credits: number | null, openMonths: ReadonlyArray<Month>): void {
    if (credits === null) this.#creditsByFirstKey.delete(key)
    else this.#creditsByFirstKey.set(key, credits)
    for (const month of openMonths) {
      if (credits === null) {
        this.#months.delete(`${month}/${key}`)
        continue
      }
      const { reserved, used } = this.#sums({ account, key, month })
      this.#months.set(`${month}/${key}`, { account, month, key, credits, cap: Math.max(credits, used + reserved) })
    }
  }

  /** Returns the expected credits of an actor in a month, or null for an actor without a limit. */
  find(account: number, actor: Actor, month: Month): KeyCredits | null {
    const key = actor._tag === "Key" ? this.keys.find(({ id }) => id === actor.key) : undefined
    const row = key === undefined || key.account !== account ? undefined : this.#months.get(`${month}/${key.firstKey}`)
    if (row === undefined) return null
    const { reserved, used } = this.#sums(row)
    return { monthlyCredits: row.credits, used, reserved, left: Math.max(0, row.credits - used - reserved) }
  }

  /** Returns the expected credits of a key in the current month, whether or not the month was opened. */
  credits(key: ModelKey, month: Month): KeyCredits | null {
    const credits = this.#creditsByFirstKey.get(key.firstKey)
    if (credits === undefined) return null
    const unused = { monthlyCredits: credits, used: 0, reserved: 0, left: credits }
    return this.find(key.account, { _tag: "Key", key: key.id }, month) ?? unused
  }

  rows() {
    return [...this.#months.values()].map((row) => ({ ...row, ...this.#sums(row) }))
  }
}
