import {
  type Actor,
  type Admission,
  type Busy,
  dayEnd,
  type Ending,
  type EndRequest,
  maxAnswerBytes,
  type Month,
  monthEnd,
  monthOf,
  type ReserveRequest
} from "@tapeline/core/engine"
import { bigints, texts } from "../parameters.ts"

/** Converts a month to its form in the database: 202611 for `2026-11`. */
export const monthNumber = (month: Month): number => Number(month.slice(0, 4)) * 100 + Number(month.slice(5, 7))

/** Converts a month from its form in the database. */
export const monthText = (month: number): Month => `${Math.floor(month / 100)}-${String(month % 100).padStart(2, "0")}`

/**
 * The distinct accounts of a batch, in the order in which they are locked, and the place of each request among them.
 */
const accountsOf = (requests: ReadonlyArray<ReserveRequest>) => {
  const accounts = [...new Set(requests.map(({ account }) => account))].sort((a, b) => a - b)
  const places = new Map(accounts.map((account, i) => [account, i + 1]))
  return { accounts, slots: requests.map(({ account }) => places.get(account)!) }
}

/** For each request, the nearest one before it with the same account and idempotency key (from 1), or null. */
const twinsOf = (requests: ReadonlyArray<ReserveRequest>): ReadonlyArray<number | null> => {
  const last = new Map<string, number>()
  return requests.map(({ account, idempotency }, i) => {
    if (idempotency === null) return null
    const name = `${account}/${idempotency.key}`
    const twin = last.get(name) ?? null
    last.set(name, i + 1)
    return twin
  })
}

/** The result of `credit_reserve_2`. */
export interface ReserveRow {
  readonly instant: number
  readonly verdicts: ReadonlyArray<string>
  readonly entries: ReadonlyArray<number | null>
  readonly origins: ReadonlyArray<number | null> | null
  readonly lefts: ReadonlyArray<number | null>
  readonly details: ReadonlyArray<number | null>
  readonly answers: ReadonlyArray<string | null> | null
}

/** Returns the admission of one request, from the row of its batch. */
const admission = ({ account, credits, tool, ttlMs }: ReserveRequest, row: ReserveRow, i: number): Admission | Busy => {
  const now = row.instant
  switch (row.verdicts[i]) {
    case "admitted": {
      const entry = row.entries[i]!
      const reservation = {
        entry,
        account,
        month: monthOf(now),
        tool,
        credits,
        origin: row.origins?.[i] ?? entry,
        reservedAt: now,
        expiresAt: now + ttlMs
      }
      return { _tag: "Admitted", reservation, creditsLeft: row.lefts[i]! }
    }
    case "refused":
      return {
        _tag: "Refused",
        creditsLeft: row.lefts[i]!,
        allotted: row.details[i]!,
        renewsAt: monthEnd(monthOf(now))
      }
    case "quota":
      return { _tag: "QuotaReached", renewsAt: dayEnd(now) }
    case "replayed":
      return { _tag: "Replayed", answer: row.answers?.[i] ?? "" }
    case "in_progress":
      return { _tag: "InProgress", lapsesInMs: row.details[i]! }
    case "reused":
      return { _tag: "Reused" }
    case "busy":
      return { _tag: "Busy" }
    case "no_account":
      return { _tag: "NoAccount" }
    default:
      throw new Error(`Unknown verdict ${row.verdicts[i]}`)
  }
}

/** The actor in the column of keys. Ids of keys are positive, and a session is its negative id. */
const keyColumn = (actor: Actor): number | null =>
  actor._tag === "Key" ? actor.key : actor._tag === "Session" ? -actor.session : null

/**
 * Converts a batch of requests to the parameters of `credit_reserve_2` up to `p_wait`, and its result to admissions.
 */
export const reserveBatch = (requests: ReadonlyArray<ReserveRequest>) => {
  const { accounts, slots } = accountsOf(requests)
  const keyed = requests.some(({ idempotency }) => idempotency !== null)
  const bounded = requests.some(({ quota }) => quota !== undefined)
  const parameters = [
    bigints(accounts),
    bigints(slots),
    bigints(requests.map(({ actor }) => keyColumn(actor))),
    bigints(requests.map(({ actor }) => actor._tag === "Task" ? actor.task : null)),
    texts(requests.map(({ tool }) => tool)),
    bigints(requests.map(({ credits }) => credits)),
    bigints(requests.map(({ ttlMs }) => Math.ceil(ttlMs))),
    bounded ? bigints(requests.map(({ quota }) => quota?.max ?? null)) : null,
    texts(keyed ? requests.map(({ idempotency }) => idempotency?.key ?? null) : null),
    texts(keyed ? requests.map(({ idempotency }) => idempotency?.fingerprint ?? null) : null),
    keyed ? bigints(requests.map(({ idempotency }) => idempotency?.retainMs ?? null)) : null,
    keyed ? bigints(twinsOf(requests)) : null
  ]
  return {
    parameters,
    /** True if all requests are of one account. */
    alone: accounts.length === 1,
    admissions: (row: ReserveRow) => requests.map((request, i) => admission(request, row, i))
  }
}

/**
 * The distinct accounts and months of a batch of endings, in the order in which they are locked, and the place of each
 * ending.
 */
const monthsOf = (requests: ReadonlyArray<EndRequest>) => {
  const distinct = new Map<string, { readonly account: number; readonly month: number }>()
  const names = requests.map(({ reservation: { account, month } }) => {
    const name = `${account}/${month}`
    if (!distinct.has(name)) distinct.set(name, { account, month: monthNumber(month) })
    return name
  })
  const sorted = [...distinct].sort(([, a], [, b]) => a.account - b.account || a.month - b.month)
  const places = new Map(sorted.map(([name], i) => [name, i + 1]))
  return {
    accounts: bigints(sorted.map(([, { account }]) => account)),
    months: bigints(sorted.map(([, { month }]) => month)),
    slots: names.map((name) => places.get(name)!)
  }
}

/** The result of `credit_end_2`. */
export interface EndRow {
  readonly lefts: ReadonlyArray<number>
  readonly verdicts: ReadonlyArray<string>
}

type How = Extract<Ending, { _tag: "AlreadyEnded" }>["how"]

const howOf = (verdict: string): How => {
  switch (verdict) {
    case "settled":
    case "released":
    case "expired":
    case "unknown":
      return verdict
    default:
      throw new Error(`Unknown verdict ${verdict}`)
  }
}

/**
 * Converts a batch of endings to the parameters of `credit_end_2` up to `p_wait`, and its result to endings. If a
 * reservation is named twice, it is sent once, and the second ending finds it ended.
 */
export const endBatch = (requests: ReadonlyArray<EndRequest>) => {
  const { accounts, months, slots } = monthsOf(requests)
  const places = new Map<number, number>()
  const sent: Array<EndRequest & { readonly slot: number }> = []
  const sentAt = requests.map((request, i) => {
    const known = places.get(request.reservation.entry)
    // If two endings name the same reservation differently, one is wrong. Each of them is decided separately.
    if (known !== undefined && sent[known]!.slot === slots[i]) return { place: known, first: false }
    const place = sent.push({ ...request, slot: slots[i]! }) - 1
    places.set(request.reservation.entry, place)
    return { place, first: true }
  })
  const parameters = [
    accounts,
    months,
    bigints(sent.map(({ reservation }) => reservation.entry)),
    bigints(sent.map(({ slot }) => slot)),
    `{${sent.map(({ outcome }) => outcome._tag === "Settle").join(",")}}`,
    texts(sent.map(({ outcome }) => outcome._tag === "Settle" ? storable(outcome.answer) : null))
  ]
  const endings = (row: EndRow): ReadonlyArray<Ending | Busy> => {
    const lefts = [...row.lefts]
    return requests.map(({ outcome, reservation }, i): Ending | Busy => {
      const slot = slots[i]! - 1
      const { first, place } = sentAt[i]!
      const verdict = row.verdicts[place]!
      if (verdict === "busy") return { _tag: "Busy" }
      if (first && verdict === "ended") {
        if (outcome._tag === "Release") lefts[slot] = lefts[slot]! + reservation.credits
        return { _tag: "Ended", creditsLeft: Math.max(0, lefts[slot]!) }
      }
      const how = verdict === "ended" ? sent[place]!.outcome._tag === "Settle" ? "settled" : "released" : howOf(verdict)
      return { _tag: "AlreadyEnded", how, creditsLeft: Math.max(0, lefts[slot]!) }
    })
  }
  return {
    parameters,
    /** True if all endings are of one month of one account. */ alone: new Set(slots).size === 1,
    endings
  }
}

const storable = (answer: string | null): string | null =>
  answer === null || (answer.length * 3 > maxAnswerBytes && Buffer.byteLength(answer) > maxAnswerBytes) ? null : answer
