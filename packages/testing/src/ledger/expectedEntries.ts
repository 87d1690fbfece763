import type { Actor, Reservation, UsageCaller } from "@tapeline/core/engine"

interface HeldKey {
  readonly key: string
  readonly fingerprint: string
  readonly until: number
  answer: string | null
}

/** The expected state of a reservation. */
export interface ExpectedEntry {
  readonly reservation: Reservation
  readonly actor: Actor
  readonly day: number | null
  expiresAt: number
  state: "reserved" | "settled" | "released" | "expired"
  heldKey: HeldKey | null
}

/** Returns the number of calls, failed calls and credits for each name. Names are in ascending order. */
export const sumByName = (ended: ReadonlyArray<ExpectedEntry>, getName: (entry: ExpectedEntry) => string) =>
  [...Map.groupBy(ended, getName)].sort(([a], [b]) => a < b ? -1 : 1).map(([name, calls]) => {
    const settled = calls.filter(({ state }) => state === "settled")
    const credits = settled.reduce((sum, { reservation }) => sum + reservation.credits, 0)
    return [name, { calls: calls.length, failed: calls.length - settled.length, credits }] as const
  })

/**
 * Converts the text of an actor to a caller of a usage report. The names of API keys are null, because the test creates
 * no API keys.
 */
export const parseCaller = (name: string): UsageCaller =>
  name === "Session" ? { kind: "session" } : name === "Task"
    ? { kind: "task" }
    : { kind: "key", key: Number(name.slice("Key ".length)), name: null }
