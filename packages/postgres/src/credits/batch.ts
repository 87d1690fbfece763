import {
  type Actor,
  type Admission,
  type Busy,
  dayEnd,
  type EndRequest,
  type EndResult,
  maxResponseBytes,
  type Month,
  monthEnd,
  monthOf,
  type ReserveRequest,
  toCreditsLeft
} from "@tapeline/core/engine"
import { bigints, texts } from "../parameters.ts"

/** Converts a month to the database's number: `2026-11` becomes 202611. */
export const toMonthNumber = (month: Month): number => Number(month.slice(0, 4)) * 100 + Number(month.slice(5, 7))

/** Converts the database's number of a month, such as 202611, to `2026-11`. */
export const fromMonthNumber = (month: number): Month =>
  `${Math.floor(month / 100)}-${String(month % 100).padStart(2, "0")}`

/** Returns the distinct accounts in locking order, and the 1-based position of each request's account. */
export const numberAccounts = (requests: ReadonlyArray<{ readonly account: number }>) => {
  const accounts = [...new Set(requests.map(({ account }) => account))].sort((a, b) => a - b)
  const slotByAccount = new Map(accounts.map((account, i) => [account, i + 1]))
  return { accounts, slots: requests.map(({ account }) => slotByAccount.get(account)!) }
}

/**
 * Returns, for each request, the 1-based position of its latest earlier duplicate, or null. Two requests are duplicates
 * if they have the same account and idempotency key.
 */
export const findEarlierDuplicates = (
  requests: ReadonlyArray<Pick<ReserveRequest, "account" | "idempotency">>
): ReadonlyArray<number | null> => {
  const lastByName = new Map<string, number>()
  return requests.map(({ account, idempotency }, i) => {
    if (idempotency === null) return null
    const name = `${account}/${idempotency.key}`
    const duplicate = lastByName.get(name) ?? null
    lastByName.set(name, i + 1)
    return duplicate
  })
}

export interface ReserveRow {
  readonly instant: number
  readonly verdicts: ReadonlyArray<string>
  readonly entries: ReadonlyArray<number | null>
  readonly origins: ReadonlyArray<number | null> | null
  readonly lefts: ReadonlyArray<number | null>
  readonly details: ReadonlyArray<number | null>
  readonly answers: ReadonlyArray<string | null> | null
}

const readAdmission = (
  { account, credits, tool, ttlMs }: ReserveRequest,
  row: ReserveRow,
  i: number
): Admission | Busy => {
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
      return { _tag: "Admitted", reservation, creditsLeft: toCreditsLeft(row.lefts[i]!) }
    }
    case "refused":
      return {
        _tag: "Refused",
        creditsLeft: row.lefts[i]!,
        monthlyCredits: row.details[i]!,
        renewsAt: monthEnd(monthOf(now))
      }
    case "key_limit":
      return {
        _tag: "KeyLimitReached",
        creditsLeft: row.lefts[i]!,
        monthlyCredits: row.details[i]!,
        renewsAt: monthEnd(monthOf(now))
      }
    case "quota":
      return { _tag: "QuotaReached", renewsAt: dayEnd(now) }
    case "replayed":
      return {
        _tag: "Replayed",
        response: row.answers?.[i] ?? "",
        call: { month: fromMonthNumber(row.details[i]!), entry: row.entries[i]! }
      }
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

/** Returns the database value of an actor: the positive id of an API key, or the negative id of a session. */
export const toKeyColumn = (actor: Actor): number | null =>
  actor._tag === "Key" ? actor.key : actor._tag === "Session" ? -actor.session : null

/** Converts reservation requests to all parameters of the SQL function `credit_reserve_3` before `p_wait`. */
export const reserveBatch = (requests: ReadonlyArray<ReserveRequest>) => {
  const { accounts, slots } = numberAccounts(requests)
  const hasKeys = requests.some(({ idempotency }) => idempotency !== null)
  const hasQuotas = requests.some(({ quota }) => quota !== undefined)
  const parameters = [
    bigints(accounts),
    bigints(slots),
    bigints(requests.map(({ actor }) => toKeyColumn(actor))),
    bigints(requests.map(({ actor }) => actor._tag === "Task" ? actor.task : null)),
    texts(requests.map(({ tool }) => tool)),
    bigints(requests.map(({ credits }) => credits)),
    bigints(requests.map(({ ttlMs }) => Math.ceil(ttlMs))),
    hasQuotas ? bigints(requests.map(({ quota }) => quota?.max ?? null)) : null,
    texts(hasKeys ? requests.map(({ idempotency }) => idempotency?.key ?? null) : null),
    texts(hasKeys ? requests.map(({ idempotency }) => idempotency?.fingerprint ?? null) : null),
    hasKeys ? bigints(requests.map(({ idempotency }) => idempotency?.retentionMs ?? null)) : null,
    hasKeys ? bigints(findEarlierDuplicates(requests)) : null
  ]
  return {
    parameters,
    isSingleAccount: accounts.length === 1,
    admissions: (row: ReserveRow) => requests.map((request, i) => readAdmission(request, row, i))
  }
}

/**
 * Returns the distinct pairs of account and month in locking order, and the 1-based position of each request's pair.
 */
const numberMonths = (requests: ReadonlyArray<EndRequest>) => {
  const distinct = new Map<string, { readonly account: number; readonly month: number }>()
  const slotNames = requests.map(({ reservation: { account, month } }) => {
    const name = `${account}/${month}`
    if (!distinct.has(name)) distinct.set(name, { account, month: toMonthNumber(month) })
    return name
  })
  const sorted = [...distinct].sort(([, a], [, b]) => a.account - b.account || a.month - b.month)
  const slotByName = new Map(sorted.map(([name], i) => [name, i + 1]))
  return {
    accounts: bigints(sorted.map(([, { account }]) => account)),
    months: bigints(sorted.map(([, { month }]) => month)),
    slots: slotNames.map((name) => slotByName.get(name)!)
  }
}

export interface EndRow {
  readonly lefts: ReadonlyArray<number>
  readonly verdicts: ReadonlyArray<string>
  /** For each reservation, the key whose monthly credits it uses, or null. */
  readonly limit_keys: ReadonlyArray<number | null> | null
  /** For each reservation, the credits that the key had left before the reservation. */
  readonly key_lefts: ReadonlyArray<number | null> | null
}

/** Creates counters of the credits left in the account's months and for the keys, before the requests of a batch. */
const makeLeftCounters = ({ key_lefts, lefts, limit_keys }: EndRow, slotOf: (position: number) => number) => {
  const monthLefts = [...lefts]
  const keyIds = limit_keys?.map((key, position) => key === null ? null : `${slotOf(position)}/${key}`)
  const keyLefts = new Map(keyIds?.map((id, position) => [id, key_lefts?.[position] ?? Infinity]))
  return {
    release: (position: number, credits: number): void => {
      const [slot, id] = [slotOf(position), keyIds?.[position] ?? null]
      monthLefts[slot] = monthLefts[slot]! + credits
      if (id !== null) keyLefts.set(id, keyLefts.get(id)! + credits)
    },
    left: (position: number): number => {
      const id = keyIds?.[position] ?? null
      return toCreditsLeft(Math.min(monthLefts[slotOf(position)]!, id === null ? Infinity : keyLefts.get(id)!))
    }
  }
}

type EndState = Extract<EndResult, { _tag: "AlreadyEnded" }>["outcome"]

const readEndState = (verdict: string): EndState => {
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
 * Converts end requests to all parameters of the SQL function `credit_end_3` before `p_wait`. If two requests end the
 * same reservation, the database receives only the first request. The result of a duplicate end request is that the
 * reservation has already ended.
 */
export const endBatch = (requests: ReadonlyArray<EndRequest>) => {
  const { accounts, months, slots } = numberMonths(requests)
  const positionByEntry = new Map<number, number>()
  const distinctRequests: Array<EndRequest & { readonly slot: number }> = []
  const sentPositions = requests.map((request, i) => {
    const earlierPosition = positionByEntry.get(request.reservation.entry)
    // If two requests for the same reservation differ, the database decides each request separately.
    if (earlierPosition !== undefined && distinctRequests[earlierPosition]!.slot === slots[i]) {
      return { position: earlierPosition, isFirst: false }
    }
    const position = distinctRequests.push({ ...request, slot: slots[i]! }) - 1
    positionByEntry.set(request.reservation.entry, position)
    return { position, isFirst: true }
  })
  const parameters = [
    accounts,
    months,
    bigints(distinctRequests.map(({ reservation }) => reservation.entry)),
    bigints(distinctRequests.map(({ slot }) => slot)),
    `{${distinctRequests.map(({ outcome }) => outcome._tag === "Settle").join(",")}}`,
    texts(distinctRequests.map(({ outcome }) => outcome._tag === "Settle" ? dropLongAnswer(outcome.response) : null))
  ]
  const endings = (row: EndRow): ReadonlyArray<EndResult | Busy> => {
    const counters = makeLeftCounters(row, (position) => distinctRequests[position]!.slot - 1)
    return requests.map(({ outcome, reservation }, i): EndResult | Busy => {
      const { isFirst, position } = sentPositions[i]!
      const verdict = row.verdicts[position]!
      if (verdict === "busy") return { _tag: "Busy" }
      if (isFirst && verdict === "ended") {
        if (outcome._tag === "Release") counters.release(position, reservation.credits)
        return { _tag: "Ended", creditsLeft: counters.left(position) }
      }
      const endState = verdict === "ended"
        ? distinctRequests[position]!.outcome._tag === "Settle" ? "settled" : "released"
        : readEndState(verdict)
      return { _tag: "AlreadyEnded", outcome: endState, creditsLeft: counters.left(position) }
    })
  }
  return {
    parameters,
    isSingleMonth: new Set(slots).size === 1,
    endings
  }
}

export const dropLongAnswer = (answer: string | null): string | null =>
  answer === null || (answer.length * 3 > maxResponseBytes && Buffer.byteLength(answer) > maxResponseBytes)
    ? null
    : answer
