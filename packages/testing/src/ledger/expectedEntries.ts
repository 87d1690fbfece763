import {
  type Actor,
  dayOf,
  type Reservation,
  type UsageCaller,
  type UsageLine,
  type UsageReportQuery
} from "@tapeline/core/engine"

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

/** The name of the API keys of a model run. */
export const modelKeyName = "model"

/** Returns the text of an actor in a usage report. The id of a key is padded, so that texts sort like the ids. */
export const nameCaller = (actor: Actor): string =>
  actor._tag === "Key" ? `Key ${String(actor.key).padStart(12, "0")}` : actor._tag

/** Converts the text of an actor to a caller of a usage report. Keys with ids from 900,000,000 have no stored name. */
export const parseCaller = (name: string): UsageCaller => {
  if (name === "Session") return { kind: "session" }
  if (name === "Task") return { kind: "task" }
  const key = Number(name.slice("Key ".length))
  return { kind: "key", key, name: key < 900_000_000 ? modelKeyName : null }
}

/** Returns the reported and the expected lines of a report of one account, in equal forms and in equal order. */
export const compareReport = (
  entries: ReadonlyArray<ExpectedEntry>,
  query: UsageReportQuery & { readonly account: number },
  lines: ReadonlyArray<UsageLine>
) => {
  const { account, from, groupBy, key, operation, to } = query
  const has = (...names: ReadonlyArray<string>) => names.some((name) => groupBy.some((one) => one === name))
  const ended = entries.filter(({ actor, reservation, state }) =>
    state !== "reserved" && reservation.account === account &&
    dayOf(reservation.reservedAt) >= from && dayOf(reservation.reservedAt) <= to &&
    (key === undefined || nameCaller(actor) === nameCaller({ _tag: "Key", key })) &&
    (operation === undefined || reservation.tool === operation)
  )
  const toText = (parts: ReadonlyArray<unknown>) => JSON.stringify(parts)
  const expected = sumByName(ended, ({ actor, reservation }) =>
    toText([
      has("account", "key") ? account : null,
      has("month", "day") ? reservation.month : null,
      has("day") ? dayOf(reservation.reservedAt) : null,
      has("key") ? parseCaller(nameCaller(actor)) : null,
      has("operation") ? reservation.tool : null
    ]))
  const reported = lines.map((line) =>
    [
      toText([line.account?.id ?? null, line.month, line.day, line.caller, line.operation]),
      { calls: line.calls, failed: line.failed, credits: line.credits }
    ] as const
  )
  return { expected, reported: reported.toSorted(([a], [b]) => a < b ? -1 : 1) }
}
