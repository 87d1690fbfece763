import {
  type Actor,
  type Admission,
  type Busy,
  dayEnd,
  dayOf,
  type Ending,
  type EndRequest,
  type Idempotency,
  type Month,
  type MonthBooks,
  monthEnd,
  monthOf,
  type MonthUsage,
  type Reservation,
  type ReserveRequest,
  type UsageCaller
} from "@tapeline/core/engine"
import { brokenRules, type LedgerRows } from "./rows.ts"

interface Held {
  readonly key: string
  readonly fingerprint: string
  readonly until: number
  answer: string | null
}

/** The first reservation of a request under an idempotency key, until its retention ends. */
interface Origin {
  readonly fingerprint: string
  readonly entry: number
  readonly until: number
}

interface Expected {
  readonly reservation: Reservation
  readonly actor: Actor
  readonly day: number | null
  expiresAt: number
  state: "reserved" | "settled" | "released" | "expired"
  /** The idempotency key that the reservation holds, until it releases the key. */
  held: Held | null
}

const same = (actual: unknown, expected: unknown): boolean => JSON.stringify(actual) === JSON.stringify(expected)

const check = (what: string, actual: unknown, expected: unknown): void => {
  if (!same(actual, expected)) {
    throw new Error(`${what}: got ${JSON.stringify(actual)}, expected ${JSON.stringify(expected)}`)
  }
}

/** Sums of ended reservations by name, in the order of usage reports. */
const addedUp = (ended: ReadonlyArray<Expected>, name: (entry: Expected) => string) =>
  [...Map.groupBy(ended, name)].sort(([a], [b]) => a < b ? -1 : 1).map(([name, calls]) => {
    const settled = calls.filter(({ state }) => state === "settled")
    const credits = settled.reduce((sum, { reservation }) => sum + reservation.credits, 0)
    return [name, { calls: calls.length, failed: calls.length - settled.length, credits }] as const
  })

/** The keys of the model run do not exist, so they have no names. */
const callerOf = (name: string): UsageCaller =>
  name === "Session" ? { kind: "session" } : name === "Task"
    ? { kind: "task" }
    : { kind: "key", key: Number(name.slice("Key ".length)), name: null }

/**
 * Knows the expected answers and content of a ledger. It keeps a list of events and sums it up for each question, so
 * that it shares no bookkeeping with the tested stores.
 */
export class Auditor {
  now: number
  readonly accounts: ReadonlyArray<number>
  readonly plans: Map<string, number>
  readonly planOf: Map<number, string>
  readonly entries: Array<Expected> = []
  readonly #months = new Map<
    string,
    { readonly account: number; readonly month: Month; allotted: number; cap: number }
  >()

  readonly #origins = new Map<string, Origin>()

  constructor(now: number, accounts: ReadonlyArray<number>, plan: string, plans: Readonly<Record<string, number>>) {
    this.now = now
    this.accounts = accounts
    this.plans = new Map(Object.entries(plans))
    this.planOf = new Map(accounts.map((account) => [account, plan]))
  }

  get month(): Month {
    return monthOf(this.now)
  }

  /** All admitted reservations, including ended ones. */
  get reservations(): ReadonlyArray<Reservation> {
    return this.entries.map(({ reservation }) => reservation)
  }

  #sum(account: number, month: Month, state: Expected["state"]): number {
    return this.entries
      .filter((entry) =>
        entry.state === state && entry.reservation.account === account && entry.reservation.month === month
      )
      .reduce((sum, { reservation }) => sum + reservation.credits, 0)
  }

  #allotment(account: number): number {
    return this.plans.get(this.planOf.get(account)!) ?? 0
  }

  #books(account: number, month: Month) {
    const found = this.#months.get(`${account}/${month}`)
    const allotted = found?.allotted ?? this.#allotment(account)
    const [used, reserved] = [this.#sum(account, month, "settled"), this.#sum(account, month, "reserved")]
    return { allotted, cap: found?.cap ?? allotted, used, reserved, left: Math.max(0, allotted - used - reserved) }
  }

  #open(account: number, month: Month): void {
    const id = `${account}/${month}`
    const allotted = this.#allotment(account)
    if (!this.#months.has(id)) this.#months.set(id, { account, month, allotted, cap: allotted })
  }

  #allot(account: number, always: boolean): void {
    const allotted = this.#allotment(account)
    for (const open of this.#months.values()) {
      if (open.account !== account || open.month < this.month || (!always && open.allotted === allotted)) continue
      const { reserved, used } = this.#books(account, open.month)
      open.allotted = allotted
      open.cap = Math.max(allotted, used + reserved)
    }
  }

  /** The number of today's reservations that count towards a quota. */
  #counted(account: number, tool: string): number {
    return this.entries.filter(({ day, expiresAt, reservation, state }) =>
      reservation.account === account && reservation.tool === tool && day === dayOf(this.now) &&
      (state === "settled" || (state === "reserved" && expiresAt > this.now))
    ).length
  }

  #holder(account: number, key: string): Expected | undefined {
    return this.entries.find((entry) =>
      entry.reservation.account === account && entry.held?.key === key &&
      (entry.state === "settled" ? entry.held.until : entry.expiresAt) > this.now
    )
  }

  #standing(account: number, { fingerprint, key }: Idempotency) {
    const holder = this.#holder(account, key)
    if (holder === undefined) return null
    if (holder.held!.fingerprint !== fingerprint) return { _tag: "Reused" as const }
    return holder.state === "settled"
      ? { _tag: "Replayed" as const, answer: holder.held!.answer ?? "" }
      : { _tag: "InProgress" as const, lapsesInMs: holder.expiresAt - this.now }
  }

  /** Checks the answers to a batch, and records the admitted reservations. */
  reserved(requests: ReadonlyArray<ReserveRequest>, answers: ReadonlyArray<Admission | Busy>): void {
    check("answers to a batch", answers.length, requests.length)
    requests.forEach((request, i) => {
      const { account, credits, idempotency, quota, tool, ttlMs } = request
      const answer = answers[i]!
      const what = `reserve ${i} of ${requests.length} (account ${account}, ${credits} credits)`
      if (!this.accounts.includes(account)) return check(what, answer, { _tag: "NoAccount" })
      const month = this.month
      this.#open(account, month)
      if (idempotency !== null) {
        const standing = this.#standing(account, idempotency)
        if (standing !== null) return check(what, answer, standing)
      }
      if (quota !== undefined && this.#counted(account, tool) >= quota.max) {
        return check(what, answer, { _tag: "QuotaReached", renewsAt: dayEnd(this.now) })
      }
      const { allotted, left, reserved, used } = this.#books(account, month)
      if (used + reserved + credits > allotted) {
        return check(what, answer, { _tag: "Refused", creditsLeft: left, allotted, renewsAt: monthEnd(month) })
      }
      const entry = answer._tag === "Admitted" ? answer.reservation.entry : -1
      const origin = idempotency === null ? entry : this.#hold(account, idempotency, entry)
      const expiresAt = this.now + ttlMs
      const reservation = { entry, account, month, tool, credits, origin, reservedAt: this.now, expiresAt }
      check(what, answer, { _tag: "Admitted", reservation, creditsLeft: left - credits })
      if (this.entries.some((known) => known.reservation.entry === entry)) {
        throw new Error(`${what}: entry ${entry} was given before`)
      }
      const held = idempotency === null
        ? null
        : {
          key: idempotency.key,
          fingerprint: idempotency.fingerprint,
          until: this.now + idempotency.retainMs,
          answer: null
        }
      const day = quota !== undefined || tool === "agent.answer" ? dayOf(this.now) : null
      this.entries.push({ reservation, actor: request.actor, day, expiresAt, state: "reserved", held })
    })
  }

  /** Moves an idempotency key to this reservation. Returns the call's origin. */
  #hold(account: number, { fingerprint, key, retainMs }: Idempotency, entry: number): number {
    for (const known of this.entries) {
      if (known.reservation.account !== account || known.held?.key !== key) continue
      if (known.state === "reserved") known.expiresAt = 0
      known.held = null
    }
    const id = `${account}/${key}`
    const before = this.#origins.get(id)
    const origin = before !== undefined && before.fingerprint === fingerprint && before.until > this.now
      ? before.entry
      : entry
    this.#origins.set(id, { fingerprint, entry: origin, until: this.now + retainMs })
    return origin
  }

  /**
   * Checks the answers to concurrent requests with the same account and credits. They must match some order of the
   * requests.
   */
  raced(requests: ReadonlyArray<ReserveRequest>, answers: ReadonlyArray<Admission | Busy>): void {
    const rank = (answer: Admission | Busy) => answer._tag === "Admitted" ? answer.creditsLeft : -1
    this.reserved(requests, answers.toSorted((a, b) => rank(b) - rank(a)))
  }

  /** Checks the answers to a batch of ends, and records the ends. */
  ended(requests: ReadonlyArray<EndRequest>, answers: ReadonlyArray<Ending | Busy>): void {
    requests.forEach(({ outcome, reservation }, i) => {
      const entry = this.entries.find((known) => known.reservation.entry === reservation.entry)!
      const can = entry.state === "reserved" && entry.expiresAt > this.now
      const how = entry.state === "reserved" ? "expired" : entry.state
      if (can) {
        entry.state = outcome._tag === "Settle" ? "settled" : "released"
        if (outcome._tag === "Release") entry.held = null
        else if (entry.held !== null) entry.held.answer = outcome.answer
      }
      const { left } = this.#books(reservation.account, reservation.month)
      check(`${outcome._tag} of entry ${reservation.entry}`, answers[i], {
        ...(can ? { _tag: "Ended" } : { _tag: "AlreadyEnded", how }),
        creditsLeft: left
      })
    })
  }

  renewed(reservation: Reservation, expiresAt: number, answer: boolean): void {
    const entry = this.entries.find((known) => known.reservation.entry === reservation.entry)!
    const can = entry.state === "reserved" && entry.expiresAt > this.now
    check(`renewal of entry ${reservation.entry}`, answer, can)
    if (can) entry.expiresAt = Math.max(entry.expiresAt, expiresAt)
  }

  /**
   * Checks a sweep by its count and by the rows after it. Among reservations that expired at the same time, the store
   * may choose any.
   */
  swept(limit: number, count: number, rows: LedgerRows): void {
    const lapsed = this.entries
      .filter((entry) => entry.state === "reserved" && entry.expiresAt <= this.now)
      .sort((a, b) => a.expiresAt - b.expiresAt)
    check("a sweep", count, Math.min(limit, lapsed.length))
    const stateOf = new Map(rows.entries.map(({ id, state }) => [id, state]))
    const chosen = lapsed.filter(({ reservation }) => stateOf.get(reservation.entry) === "expired")
    check(
      "reservations swept up",
      chosen.map(({ expiresAt }) => expiresAt),
      lapsed.slice(0, count).map(({ expiresAt }) => expiresAt)
    )
    for (const entry of chosen) {
      entry.state = "expired"
      entry.held = null
    }
    for (const entry of this.entries) {
      if (entry.state === "settled" && entry.held !== null && entry.held.until <= this.now) entry.held = null
    }
  }

  recalled(account: number, idempotency: Idempotency, answer: unknown): void {
    check(`recall of ${idempotency.key}`, answer, this.#standing(account, idempotency))
  }

  counted(account: number, answer: unknown): void {
    const count = this.#counted(account, "agent.answer")
    check(`answers of ${account} today`, answer, { count, renewsAt: dayEnd(this.now) })
  }

  changedPlan(account: number, plan: string, answer: boolean): void {
    check("a change of plan", answer, true)
    this.planOf.set(account, plan)
    this.#allot(account, true)
  }

  definedPlan(plan: string, credits: number): void {
    this.plans.set(plan, credits)
    for (const account of this.accounts) if (this.planOf.get(account) === plan) this.#allot(account, false)
  }

  /** Ended reservations of a month. */
  #endedOf(account: number, month: Month): ReadonlyArray<Expected> {
    return this.entries.filter(({ reservation, state }) =>
      state !== "reserved" && reservation.account === account && reservation.month === month
    )
  }

  #monthBooks(account: number, month: Month): MonthBooks {
    const { allotted, left, reserved, used } = this.#books(account, month)
    const tools = addedUp(this.#endedOf(account, month), ({ reservation }) => reservation.tool)
      .map(([name, sums]) => ({ name, ...sums }))
    return { month, allotted, used, reserved, left, renewsAt: monthEnd(month), tools }
  }

  /** Checks the port's account balance. */
  told(account: number, month: Month, answer: MonthBooks | null): void {
    check(`books of ${account} in ${month}`, answer, this.#monthBooks(account, month))
  }

  /** Checks the port's usage report. */
  toldUsage(account: number, month: Month, answer: MonthUsage | null): void {
    const ended = this.#endedOf(account, month)
    check(`usage of ${account} in ${month}`, answer, {
      ...this.#monthBooks(account, month),
      days: addedUp(ended, ({ reservation }) => String(dayOf(reservation.reservedAt)))
        .map(([day, sums]) => ({ day: Number(day), ...sums })),
      callers: addedUp(ended, ({ actor }) => actor._tag === "Key" ? `Key ${actor.key}` : actor._tag)
        .map(([name, sums]) => ({ caller: callerOf(name), ...sums }))
    })
  }

  /** Checks all rows of the store against the ledger's rules and against the expected rows. */
  audit(rows: LedgerRows): void {
    const broken = brokenRules(rows)
    if (broken.length > 0) throw new Error(`Rules are broken:\n${broken.join("\n")}`)
    const place = ({ account, month }: { readonly account: number; readonly month: Month }) => `${account}/${month}`
    const byPlace = <A extends { readonly account: number; readonly month: Month }>(items: Iterable<A>) =>
      [...items].sort((a, b) => place(a) < place(b) ? -1 : 1)
    check(
      "months",
      byPlace(rows.months).map(({ account, allotted, cap, month, reserved, used }) => ({
        account,
        month,
        allotted,
        cap,
        used,
        reserved
      })),
      byPlace(this.#months.values()).map(({ account, month }) => {
        const { allotted, cap, reserved, used } = this.#books(account, month)
        return { account, month, allotted, cap, used, reserved }
      })
    )
    check(
      "entries",
      rows.entries.toSorted((a, b) => a.id - b.id).map((
        { credits, id, month, state, tool }
      ) => [id, month, tool, credits, state]),
      this.entries
        .toSorted((a, b) => a.reservation.entry - b.reservation.entry)
        .map(({ reservation: { credits, entry, month, tool }, state }) => [entry, month, tool, credits, state])
    )
  }
}
