import {
  type Admission,
  type Ending,
  type EndRequest,
  maxAnswerBytes,
  type Month,
  monthOf,
  type ReserveRequest
} from "@tapeline/core/credits"
import { bigints, texts } from "../parameters.ts"

/** A month as the database keeps it: 202611 for `2026-11`. */
export const monthNumber = (month: Month): number => Number(month.slice(0, 4)) * 100 + Number(month.slice(5, 7))

/** The distinct accounts and months of a batch, in the order in which they are locked, and each request's place among them. */
const slotsOf = <A>(items: ReadonlyArray<A>, of: (item: A) => { readonly account: number; readonly month: Month }) => {
  const distinct = new Map<string, { readonly account: number; readonly month: number }>()
  const names = items.map((item) => {
    const { account, month } = of(item)
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

/** A batch of requests as the parameters of `credit_reserve`, and what it answers as admissions. */
export const reserveBatch = (requests: ReadonlyArray<ReserveRequest>) => {
  const months = requests.map(({ now }) => monthOf(now))
  let at = 0
  const { accounts, months: monthNumbers, slots } = slotsOf(
    requests,
    ({ account }) => ({ account, month: months[at++]! })
  )
  const keyed = requests.some(({ idempotency }) => idempotency !== null)
  const parameters = [
    accounts,
    monthNumbers,
    bigints(slots),
    bigints(requests.map(({ key }) => key)),
    texts(requests.map(({ tool }) => tool)),
    bigints(requests.map(({ credits }) => credits)),
    bigints(requests.map(({ now }) => now)),
    bigints(requests.map(({ expiresAt }) => expiresAt)),
    texts(keyed ? requests.map(({ idempotency }) => idempotency?.key ?? null) : null),
    texts(keyed ? requests.map(({ idempotency }) => idempotency?.fingerprint ?? null) : null),
    keyed
      ? bigints(requests.map(({ idempotency, now }) => idempotency === null ? null : now + idempotency.retainMs))
      : null,
    keyed ? bigints(twinsOf(requests)) : null
  ]
  const admissions = (row: {
    readonly verdicts: ReadonlyArray<string>
    readonly entries: ReadonlyArray<number | null>
    readonly lefts: ReadonlyArray<number | null>
    readonly details: ReadonlyArray<number | null>
    readonly answers: ReadonlyArray<string | null> | null
  }): ReadonlyArray<Admission> =>
    requests.map(({ account, credits, tool }, i): Admission => {
      switch (row.verdicts[i]) {
        case "admitted":
          return {
            _tag: "Admitted",
            reservation: { entry: row.entries[i]!, account, month: months[i]!, tool, credits },
            creditsLeft: row.lefts[i]!
          }
        case "refused":
          return { _tag: "Refused", creditsLeft: row.lefts[i]!, allotted: row.details[i]! }
        case "replayed":
          return { _tag: "Replayed", answer: row.answers?.[i] ?? "" }
        case "in_progress":
          return { _tag: "InProgress", expiresAt: row.details[i]! }
        case "reused":
          return { _tag: "Reused" }
        case "no_account":
          return { _tag: "NoAccount" }
        default:
          throw new Error(`Unknown verdict ${row.verdicts[i]}`)
      }
    })
  return { parameters, admissions }
}

/**
 * A batch of endings as the parameters of `credit_end`, and what it answers as endings. A reservation that is named
 * twice goes to the database once: the second one finds it ended.
 */
export const endBatch = (requests: ReadonlyArray<EndRequest>) => {
  const { accounts, months, slots } = slotsOf(requests, ({ reservation }) => reservation)
  const seen = new Set<number>()
  const firsts = requests.map(({ reservation: { entry } }) => {
    const first = !seen.has(entry)
    seen.add(entry)
    return first
  })
  const sent = requests.flatMap((request, i) => firsts[i] ? [{ ...request, slot: slots[i]! }] : [])
  const parameters = [
    accounts,
    months,
    bigints(sent.map(({ reservation }) => reservation.entry)),
    bigints(sent.map(({ slot }) => slot)),
    bigints(sent.map(({ now }) => now)),
    `{${sent.map(({ outcome }) => outcome._tag === "Settle").join(",")}}`,
    texts(sent.map(({ outcome }) => outcome._tag === "Settle" ? storable(outcome.answer) : null))
  ]
  const endings = (row: {
    readonly lefts: ReadonlyArray<number>
    readonly ended: ReadonlyArray<number> | null
  }): ReadonlyArray<Ending> => {
    const ended = new Set(row.ended ?? [])
    const lefts = [...row.lefts]
    return requests.map(({ outcome, reservation }, i): Ending => {
      const slot = slots[i]! - 1
      const did = firsts[i] === true && ended.has(reservation.entry)
      if (did && outcome._tag === "Release") lefts[slot] = lefts[slot]! + reservation.credits
      return { _tag: did ? "Ended" : "AlreadyEnded", creditsLeft: Math.max(0, lefts[slot]!) }
    })
  }
  return { parameters, endings }
}

const storable = (answer: string | null): string | null =>
  answer === null || (answer.length * 3 > maxAnswerBytes && Buffer.byteLength(answer) > maxAnswerBytes) ? null : answer
