import {
  type Actor,
  addCreditsLeft,
  type Adjustment,
  type AdjustmentRequest,
  type AdjustmentResult,
  type Admission,
  type Busy,
  type ChargeRequest,
  type ChargeResult,
  dayEnd,
  dayOf,
  type EndRequest,
  type EndResult,
  type Idempotency,
  type Month,
  monthAfter,
  type MonthBalance,
  type MonthCredits,
  monthEnd,
  monthOf,
  type MonthUsage,
  type Reservation,
  type ReserveRequest,
  type UnreservedCall,
  type UsageLine,
  type UsageReportQuery
} from "@tapeline/core/engine"
import { assertSame, compareRows } from "./compareRows.ts"
import { compareReport, type ExpectedEntry, nameCaller, parseCaller, sumByName } from "./expectedEntries.ts"
import { ExpectedIdempotencyKeys, makeHeldKey, toCall } from "./ExpectedIdempotencyKeys.ts"
import { ExpectedKeyLimits, type ModelKey } from "./ExpectedKeyLimits.ts"
import { findRuleViolations, type LedgerRows } from "./rows.ts"

/** Predicts the results and the content of a ledger from a list of events, without any code of the tested stores. */
export class Auditor {
  now: number
  readonly accounts: ReadonlyArray<number>
  readonly plans: Map<string, number>
  readonly planByAccount: Map<number, string>
  readonly entries: Array<ExpectedEntry> = []
  readonly adjustments: Array<Adjustment> = []
  readonly keyLimits = new ExpectedKeyLimits(this.entries)
  readonly idempotencyKeys = new ExpectedIdempotencyKeys(this.entries)
  /** The charge requests of the run. */
  readonly charges: Array<{ readonly request: ChargeRequest; readonly month: Month }> = []
  readonly #months = new Map<
    string,
    { readonly account: number; readonly month: Month; allotted: number; cap: number }
  >()

  constructor(now: number, accounts: ReadonlyArray<number>, plan: string, plans: Readonly<Record<string, number>>) {
    this.now = now
    this.accounts = accounts
    this.plans = new Map(Object.entries(plans))
    this.planByAccount = new Map(accounts.map((account) => [account, plan]))
  }

  get month(): Month {
    return monthOf(this.now)
  }

  get reservations(): ReadonlyArray<Reservation> {
    return this.entries.map(({ reservation }) => reservation)
  }

  #sum(account: number, month: Month, state: ExpectedEntry["state"]): number {
    return this.entries
      .filter((entry) =>
        entry.state === state && entry.reservation.account === account && entry.reservation.month === month
      )
      .reduce((sum, { reservation }) => sum + reservation.credits, 0)
  }

  #getMonthlyCredits(account: number): number {
    return this.plans.get(this.planByAccount.get(account)!) ?? 0
  }

  #getBalance(account: number, month: Month) {
    const monthRow = this.#months.get(`${account}/${month}`)
    const allotted = monthRow?.allotted ?? this.#getMonthlyCredits(account)
    const adjusted = this.adjustments
      .filter((adjustment) => adjustment.account === account && adjustment.month === month)
      .reduce((sum, { amount }) => sum + amount, 0)
    const [used, reserved] = [this.#sum(account, month, "settled"), this.#sum(account, month, "reserved")]
    const left = Math.max(0, allotted + adjusted - used - reserved)
    return { allotted, adjusted, cap: monthRow?.cap ?? allotted, used, reserved, left }
  }

  #openMonth(account: number, month: Month): void {
    const id = `${account}/${month}`
    const allotted = this.#getMonthlyCredits(account)
    if (this.#months.has(id)) return
    this.#months.set(id, { account, month, allotted, cap: allotted })
    this.keyLimits.openMonth(account, month)
  }

  #applyMonthlyCredits(account: number, isForced: boolean): void {
    const allotted = this.#getMonthlyCredits(account)
    for (const open of this.#months.values()) {
      if (open.account !== account || open.month < this.month || (!isForced && open.allotted === allotted)) continue
      open.allotted = allotted
      this.#updateCap(account, open.month)
    }
  }

  #updateCap(account: number, month: Month): void {
    const { adjusted, allotted, reserved, used } = this.#getBalance(account, month)
    this.#months.get(`${account}/${month}`)!.cap = Math.max(allotted + adjusted, used + reserved)
  }

  /** Returns the keys of the account at a position in `accounts`. */
  keysOf(accountIndex: number): ReadonlyArray<ModelKey> {
    return this.keyLimits.keys.filter(({ account }) => account === this.accounts[accountIndex])
  }

  #getLeft(account: number, actor: Actor, month: Month): number {
    return Math.min(
      this.#getBalance(account, month).left,
      this.keyLimits.find(account, actor, month)?.left ?? Infinity
    )
  }

  /** Returns how many reservations of the current day count towards the daily quota of a tool. */
  #countToday(account: number, tool: string): number {
    return this.entries.filter(({ day, expiresAt, reservation, state }) =>
      reservation.account === account && reservation.tool === tool && day === dayOf(this.now) &&
      (state === "settled" || (state === "reserved" && expiresAt > this.now))
    ).length
  }

  checkReserved(requests: ReadonlyArray<ReserveRequest>, answers: ReadonlyArray<Admission | Busy>): void {
    assertSame("results of a batch", answers.length, requests.length)
    requests.forEach((request, i) => {
      const { account, credits, idempotency, quota, tool, ttlMs } = request
      const answer = answers[i]!
      const description = `reserve ${i} of ${requests.length} (account ${account}, ${credits} credits)`
      if (!this.accounts.includes(account)) return assertSame(description, answer, { _tag: "NoAccount" })
      const month = this.month
      this.#openMonth(account, month)
      if (idempotency !== null) {
        const standing = this.idempotencyKeys.state(account, idempotency, this.now)
        if (standing !== null) return assertSame(description, answer, standing)
      }
      if (quota !== undefined && this.#countToday(account, tool) >= quota.max) {
        return assertSame(description, answer, { _tag: "QuotaReached", renewsAt: dayEnd(this.now) })
      }
      const { adjusted, allotted, reserved, used } = this.#getBalance(account, month)
      const left = this.#getLeft(account, request.actor, month)
      const refusal = { creditsLeft: left, monthlyCredits: allotted, renewsAt: monthEnd(month) }
      if (used + reserved + credits > allotted + adjusted) {
        return assertSame(description, answer, { _tag: "Refused", ...refusal })
      }
      const ofKey = this.keyLimits.find(account, request.actor, month)
      if (ofKey !== null && credits > ofKey.left) {
        const { monthlyCredits } = ofKey
        return assertSame(description, answer, { _tag: "KeyLimitReached", ...refusal, monthlyCredits })
      }
      const entry = answer._tag === "Admitted" ? answer.reservation.entry : -1
      const origin = idempotency === null ? entry : this.idempotencyKeys.hold(account, idempotency, entry, this.now)
      const expiresAt = this.now + ttlMs
      const reservation = { entry, account, month, tool, credits, origin, reservedAt: this.now, expiresAt }
      assertSame(description, answer, { _tag: "Admitted", reservation, creditsLeft: left - credits })
      if (this.entries.some((other) => other.reservation.entry === entry)) {
        throw new Error(`${description}: the number of entry ${entry} was already used`)
      }
      const heldKey = idempotency && makeHeldKey(idempotency, this.now)
      const day = quota !== undefined || tool === "agent.answer" ? dayOf(this.now) : null
      this.entries.push({ reservation, actor: request.actor, day, expiresAt, state: "reserved", heldKey })
    })
  }

  #addEndedEntry(call: UnreservedCall, state: "settled" | "released", heldKey: ExpectedEntry["heldKey"]): void {
    const { account, actor, credits, id: entry, tool } = call
    const { month, now } = this
    const expiresAt = now + 1
    const reservation = { entry, account, month, tool, credits, origin: entry, reservedAt: now, expiresAt }
    this.entries.push({ reservation, actor, day: null, expiresAt, state, heldKey })
  }

  checkCharged(requests: ReadonlyArray<ChargeRequest>, answers: ReadonlyArray<ChargeResult | Busy>): void {
    assertSame("results of a batch", answers.length, requests.length)
    requests.forEach((request, i) => {
      const { account, actor, credits, id, idempotency, response } = request
      const answer = answers[i]!
      const description = `charge ${i} of ${requests.length} (account ${account}, ${credits} credits)`
      if (!this.accounts.includes(account)) return assertSame(description, answer, { _tag: "NoAccount" })
      const month = this.month
      this.#openMonth(account, month)
      const left = this.#getLeft(account, actor, month)
      const earlier = this.entries.find(({ reservation }) => reservation.entry === id)
      if (earlier !== undefined) {
        const { answer: stored = null, until = 0 } = earlier.heldKey ?? {}
        const creditsLeft = stored !== null && until > this.now ? JSON.parse(stored).credits_left : left
        return assertSame(description, answer, { _tag: "Charged", call: toCall(earlier), creditsLeft })
      }
      const standing = idempotency === null ? null : this.idempotencyKeys.state(account, idempotency, this.now)
      if (standing !== null) return assertSame(description, answer, standing)
      const { adjusted, allotted, reserved, used } = this.#getBalance(account, month)
      const refusal = { creditsLeft: left, monthlyCredits: allotted, renewsAt: monthEnd(month) }
      if (used + reserved + credits > allotted + adjusted) {
        return assertSame(description, answer, { _tag: "Refused", ...refusal })
      }
      const ofKey = this.keyLimits.find(account, actor, month)
      if (ofKey !== null && credits > ofKey.left) {
        const { monthlyCredits } = ofKey
        return assertSame(description, answer, { _tag: "KeyLimitReached", ...refusal, monthlyCredits })
      }
      const creditsLeft = left - credits
      assertSame(description, answer, { _tag: "Charged", call: { month, entry: id }, creditsLeft })
      if (idempotency !== null) this.idempotencyKeys.hold(account, idempotency, id, this.now)
      const stored = response === null ? null : addCreditsLeft(response, creditsLeft)
      this.#addEndedEntry(request, "settled", idempotency && makeHeldKey(idempotency, this.now, stored))
    })
  }

  /**
   * Checks the results of concurrent charges with equal accounts, actors and credits. The results must match some order
   * of the requests.
   */
  checkRacedCharges(requests: ReadonlyArray<ChargeRequest>, answers: ReadonlyArray<ChargeResult | Busy>): void {
    const getCreditsLeft = (answer: ChargeResult | Busy) => answer._tag === "Charged" ? answer.creditsLeft : -1
    const order = requests.map((_, i) => i).sort((a, b) => getCreditsLeft(answers[b]!) - getCreditsLeft(answers[a]!))
    this.checkCharged(order.map((i) => requests[i]!), order.map((i) => answers[i]!))
  }

  applyFailures(calls: ReadonlyArray<UnreservedCall>): void {
    for (const call of calls) {
      if (!this.accounts.includes(call.account)) continue
      this.#openMonth(call.account, this.month)
      this.#addEndedEntry(call, "released", null)
    }
  }

  /**
   * Checks the results of concurrent requests with equal accounts and credits. The results must match some order of the
   * requests.
   */
  checkRaced(requests: ReadonlyArray<ReserveRequest>, answers: ReadonlyArray<Admission | Busy>): void {
    const getCreditsLeft = (answer: Admission | Busy) => answer._tag === "Admitted" ? answer.creditsLeft : -1
    this.checkReserved(requests, answers.toSorted((a, b) => getCreditsLeft(b) - getCreditsLeft(a)))
  }

  checkEnded(requests: ReadonlyArray<EndRequest>, answers: ReadonlyArray<EndResult | Busy>): void {
    requests.forEach(({ outcome, reservation }, i) => {
      const entry = this.entries.find((other) => other.reservation.entry === reservation.entry)!
      const isActive = entry.state === "reserved" && entry.expiresAt > this.now
      const endState = entry.state === "reserved" ? "expired" : entry.state
      if (isActive) {
        entry.state = outcome._tag === "Settle" ? "settled" : "released"
        if (outcome._tag === "Release") entry.heldKey = null
        else if (entry.heldKey !== null) entry.heldKey.answer = outcome.response
      }
      const left = this.#getLeft(reservation.account, entry.actor, reservation.month)
      assertSame(`${outcome._tag} of entry ${reservation.entry}`, answers[i], {
        ...(isActive ? { _tag: "Ended" } : { _tag: "AlreadyEnded", outcome: endState }),
        creditsLeft: left
      })
    })
  }

  checkRenewed(reservation: Reservation, expiresAt: number, answer: boolean): void {
    const entry = this.entries.find((other) => other.reservation.entry === reservation.entry)!
    const isActive = entry.state === "reserved" && entry.expiresAt > this.now
    assertSame(`renewal of entry ${reservation.entry}`, answer, isActive)
    if (isActive) entry.expiresAt = Math.max(entry.expiresAt, expiresAt)
  }

  /**
   * Checks the result of an expiry sweep. Among reservations that expired at the same time, the sweep may choose any
   * reservation.
   */
  checkSwept(limit: number, count: number, rows: LedgerRows): void {
    const expiredEntries = this.entries
      .filter((entry) => entry.state === "reserved" && entry.expiresAt <= this.now)
      .sort((a, b) => a.expiresAt - b.expiresAt)
    assertSame("a sweep", count, Math.min(limit, expiredEntries.length))
    const stateOf = new Map(rows.entries.map(({ id, state }) => [id, state]))
    const expiredNow = expiredEntries.filter(({ reservation }) => stateOf.get(reservation.entry) === "expired")
    assertSame(
      "swept reservations",
      expiredNow.map(({ expiresAt }) => expiresAt),
      expiredEntries.slice(0, count).map(({ expiresAt }) => expiresAt)
    )
    for (const entry of expiredNow) {
      entry.state = "expired"
      entry.heldKey = null
    }
    for (const entry of this.entries) {
      if (entry.state === "settled" && entry.heldKey !== null && entry.heldKey.until <= this.now) entry.heldKey = null
    }
  }

  checkRecalled(account: number, idempotency: Idempotency, answer: unknown): void {
    assertSame(`recall of ${idempotency.key}`, answer, this.idempotencyKeys.state(account, idempotency, this.now))
  }

  checkCounted(account: number, answer: unknown): void {
    const count = this.#countToday(account, "agent.answer")
    assertSame(`answers of account ${account} today`, answer, { count, renewsAt: dayEnd(this.now) })
  }

  applyPlanChange(account: number, plan: string, answer: boolean): void {
    assertSame("a change of plan", answer, true)
    this.planByAccount.set(account, plan)
    this.#applyMonthlyCredits(account, true)
  }

  applyPlanDefinition(plan: string, credits: number): void {
    this.plans.set(plan, credits)
    for (const account of this.accounts) {
      if (this.planByAccount.get(account) === plan) this.#applyMonthlyCredits(account, false)
    }
  }

  applyKeyLimit(key: ModelKey | undefined, credits: number | null, answer: boolean): void {
    assertSame("a limit of a key", answer, key !== undefined)
    if (key === undefined) return
    const openMonths = [...this.#months.values()].filter(({ account, month }) =>
      account === key.account && month >= this.month
    )
    this.keyLimits.limit(key, credits, openMonths.map(({ month }) => month))
  }

  checkKeyCredits(key: ModelKey, answer: ReadonlyArray<unknown>): void {
    assertSame(`credits of key ${key.id}`, answer, [null, this.keyLimits.credits(key, this.month)])
  }

  #getEnded(account: number, month: Month): ReadonlyArray<ExpectedEntry> {
    return this.entries.filter(({ reservation, state }) =>
      state !== "reserved" && reservation.account === account && reservation.month === month
    )
  }

  #getCredits(account: number, month: Month): MonthCredits {
    const { adjusted, allotted: monthlyCredits, left, reserved, used } = this.#getBalance(account, month)
    return { month, monthlyCredits, adjusted, used, reserved, left, renewsAt: monthEnd(month) }
  }

  #getMonthBalance(account: number, month: Month): MonthBalance {
    const tools = sumByName(this.#getEnded(account, month), ({ reservation }) => reservation.tool)
      .map(([name, sums]) => ({ name, ...sums }))
    return { ...this.#getCredits(account, month), tools }
  }

  /** Returns the amount of a refund, or the result that rejects the refund. */
  #getRefund({ account, amount, call }: Extract<AdjustmentRequest, { readonly kind: "refund" }>) {
    const earlier = this.adjustments.find((one) => one.account === account && one.call?.entry === call.entry)
    if (earlier !== undefined) return { _tag: "AlreadyRefunded" as const, adjustment: earlier.id }
    const entry = this.entries.find(({ reservation }) =>
      reservation.account === account && reservation.entry === call.entry && reservation.month === call.month
    )
    if (entry === undefined) return { _tag: "UnknownCall" as const }
    if (entry.state !== "settled") return { _tag: "NotCharged" as const }
    const { credits } = entry.reservation
    return amount !== null && amount > credits
      ? { _tag: "ExceedsCharge" as const, charged: credits }
      : amount ?? credits
  }

  checkAdjusted(request: AdjustmentRequest, answer: AdjustmentResult): void {
    const { account, kind, reason, reference } = request
    const description = `adjustment ${JSON.stringify(request)}`
    if (!this.accounts.includes(account)) return assertSame(description, answer, { _tag: "NoAccount" })
    const amount = kind === "refund" ? this.#getRefund(request) : request.amount
    if (typeof amount !== "number") return assertSame(description, answer, amount)
    const first = kind === "refund" ? this.month : request.month ?? this.month
    const months = Array.from({ length: kind === "grant" ? request.months : 1 }, (_, i) => monthAfter(first, i))
    for (const month of months) this.#openMonth(account, month)
    const { adjusted, allotted, left, reserved, used } = this.#getBalance(account, first)
    if (
      kind === "correction" && amount < 0 && !request.allowNegative && allotted + adjusted + amount < used + reserved
    ) {
      return assertSame(description, answer, { _tag: "BalanceTooLow", creditsLeft: left })
    }
    const ids = answer._tag === "Adjusted" ? answer.adjustments.map(({ id }) => id) : []
    const lastId = Math.max(0, ...this.adjustments.filter((one) => one.account === account).map(({ id }) => id))
    assertSame(`${description}: ids after ${lastId}`, ids.toSorted((a, b) => a - b).filter((id) => id > lastId), ids)
    const call = kind === "refund" ? request.call : null
    const adjustments = months.map((month, i): Adjustment => ({
      id: ids[i] ?? 0,
      account,
      month,
      kind,
      amount,
      reason,
      reference,
      call,
      createdAt: this.now
    }))
    this.adjustments.push(...adjustments)
    for (const month of months) this.#updateCap(account, month)
    assertSame(description, answer, { _tag: "Adjusted", adjustments, balance: this.#getCredits(account, first) })
  }

  checkAdjustments(
    account: number,
    page: { readonly after: number; readonly limit: number },
    month: Month | null,
    answer: ReadonlyArray<Adjustment>
  ): void {
    const expected = this.adjustments
      .filter((one) => one.account === account && one.id > page.after && (month === null || one.month === month))
      .slice(0, page.limit)
    assertSame(`adjustments of account ${account} in ${month}`, answer, expected)
  }

  checkBalance(account: number, month: Month, answer: MonthBalance | null): void {
    assertSame(`balance of account ${account} in ${month}`, answer, this.#getMonthBalance(account, month))
  }

  checkUsage(account: number, month: Month, answer: MonthUsage | null): void {
    const endedEntries = this.#getEnded(account, month)
    assertSame(`usage of account ${account} in ${month}`, answer, {
      ...this.#getMonthBalance(account, month),
      days: sumByName(endedEntries, ({ reservation }) => String(dayOf(reservation.reservedAt)))
        .map(([day, sums]) => ({ day: Number(day), ...sums })),
      callers: sumByName(endedEntries, ({ actor }) => nameCaller(actor))
        .map(([name, sums]) => ({ caller: parseCaller(name), ...sums }))
    })
  }

  /** Checks all lines of a report of one account. */
  checkReport(query: UsageReportQuery & { readonly account: number }, lines: ReadonlyArray<UsageLine>): void {
    const { expected, reported } = compareReport(this.entries, query, lines)
    assertSame(`report ${JSON.stringify(query)}`, reported, expected)
  }

  audit(rows: LedgerRows): void {
    const violations = findRuleViolations(rows)
    if (violations.length > 0) throw new Error(`The ledger violates these rules:\n${violations.join("\n")}`)
    const months = [...this.#months.values()].map(({ account, month }) => {
      const { adjusted, allotted, cap, reserved, used } = this.#getBalance(account, month)
      return { account, month, allotted, adjusted, cap, used, reserved }
    })
    compareRows(rows, {
      months,
      keyMonths: this.keyLimits.rows(),
      adjustments: this.adjustments,
      entries: this.entries
    })
  }
}
