import type { Idempotency } from "@tapeline/core/engine"
import type { ExpectedEntry } from "./expectedEntries.ts"

/**
 * The first reservation that used an idempotency key. At the time `until`, the retention of the idempotency key ends.
 */
interface KeyOrigin {
  readonly fingerprint: string
  readonly entry: number
  readonly until: number
}

export const toCall = ({ reservation: { entry, month } }: ExpectedEntry) => ({ month, entry })

export const makeHeldKey = (
  { fingerprint, key, retentionMs }: Idempotency,
  now: number,
  answer: string | null = null
) => ({
  key,
  fingerprint,
  until: now + retentionMs,
  answer
})

/** Predicts which reservations and charges hold idempotency keys. */
export class ExpectedIdempotencyKeys {
  readonly #entries: ReadonlyArray<ExpectedEntry>
  readonly #origins = new Map<string, KeyOrigin>()

  constructor(entries: ReadonlyArray<ExpectedEntry>) {
    this.#entries = entries
  }

  #findHolder(account: number, key: string, now: number): ExpectedEntry | undefined {
    return this.#entries.find((entry) =>
      entry.reservation.account === account && entry.heldKey?.key === key &&
      (entry.state === "settled" ? entry.heldKey.until : entry.expiresAt) > now
    )
  }

  /** Returns the expected state of an idempotency key, or null if the key is free. */
  state(account: number, { fingerprint, key }: Idempotency, now: number) {
    const holder = this.#findHolder(account, key, now)
    if (holder === undefined) return null
    if (holder.heldKey!.fingerprint !== fingerprint) return { _tag: "Reused" as const }
    return holder.state === "settled"
      ? { _tag: "Replayed" as const, response: holder.heldKey!.answer ?? "", call: toCall(holder) }
      : { _tag: "InProgress" as const, lapsesInMs: holder.expiresAt - now }
  }

  /** Assigns an idempotency key to a new reservation. Returns the id of the first reservation of the repeated call. */
  hold(account: number, { fingerprint, key, retentionMs }: Idempotency, entry: number, now: number): number {
    for (const other of this.#entries) {
      if (other.reservation.account !== account || other.heldKey?.key !== key) continue
      if (other.state === "reserved") other.expiresAt = 0
      other.heldKey = null
    }
    const id = `${account}/${key}`
    const before = this.#origins.get(id)
    const origin = before !== undefined && before.fingerprint === fingerprint && before.until > now
      ? before.entry
      : entry
    this.#origins.set(id, { fingerprint, entry: origin, until: now + retentionMs })
    return origin
  }
}
