import {
  adjustedMonths,
  type Adjustment,
  type AdjustmentRequest,
  type AdjustmentResult,
  type Admission,
  type Busy,
  creditThresholds,
  dayEnd,
  dayOf,
  type EndRequest,
  type EndResult,
  Failpoints,
  isAdjustmentInRange,
  LedgerStore,
  maxAdjustedCredits,
  monthEnd,
  monthOf,
  type ReachedThreshold,
  type Reservation,
  type ReserveRequest,
  type StatementOptions,
  StoreUnavailable,
  withFailpoints
} from "@tapeline/core/engine"
import { Clock, Effect, Layer, PubSub } from "effect"
import { readCalls } from "./callReads.ts"
import { makeChargeMethods } from "./charges.ts"
import { checkKeyMonth, findKeyMonth, makeKeyLimitMethods } from "./keyMonths.ts"
import {
  checkMonth,
  countUsage,
  getCreditsLeft,
  getKeyState,
  holdKey,
  leftOf,
  makeKeyId,
  nullIfTooLong,
  openMonth
} from "./ledgerTables.ts"
import { type EntryRow, makeMonthId, MemoryState, type MonthRow } from "./MemoryState.ts"
import { readBalance, readUsage, readUsageReport, toCredits } from "./usageReads.ts"

type Tables = MemoryState["Service"]

const dayMs = 86_400_000

const answerTool = "agent.answer"

const countAnswersToday = (tables: Tables, account: number, tool: string, now: number): number =>
  [...tables.entries.values()].filter((entry) =>
    entry.account === account && entry.tool === tool && entry.day === dayOf(now) / dayMs &&
    (entry.state === "settled" || (entry.state === "reserved" && entry.expiresAt > now))
  ).length

const reserveOne = (tables: Tables, request: ReserveRequest, now: number): Admission | Busy => {
  const { account, actor, credits, idempotency, quota, tool, ttlMs } = request
  const month = monthOf(now)
  if (tables.lockedMonths.has(makeMonthId(account, month))) return { _tag: "Busy" }
  const monthRow = openMonth(tables, account, month)
  if (monthRow === undefined) return { _tag: "NoAccount" }
  const keyState = idempotency === null ? null : getKeyState(tables, account, idempotency, now)
  if (keyState !== null) return keyState
  if (quota !== undefined && countAnswersToday(tables, account, tool, now) >= quota.max) {
    return { _tag: "QuotaReached", renewsAt: dayEnd(now) }
  }
  const keyRow = findKeyMonth(tables, { account, actor, month })
  if (monthRow.used + monthRow.reserved + credits > monthRow.allotted + monthRow.adjusted) {
    return {
      _tag: "Refused",
      creditsLeft: leftOf(monthRow, keyRow),
      monthlyCredits: monthRow.allotted,
      renewsAt: monthEnd(month)
    }
  }
  if (keyRow !== undefined && keyRow.used + keyRow.reserved + credits > keyRow.credits) {
    const creditsLeft = leftOf(monthRow, keyRow)
    return { _tag: "KeyLimitReached", creditsLeft, monthlyCredits: keyRow.credits, renewsAt: monthEnd(month) }
  }
  monthRow.reserved += credits
  checkMonth(monthRow)
  if (keyRow !== undefined) {
    keyRow.reserved += credits
    checkKeyMonth(keyRow)
  }
  const id = ++tables.sequence.last
  const origin = idempotency === null ? id : holdKey(tables, account, idempotency, id, now)
  const expiresAt = now + ttlMs
  tables.entries.set(id, {
    id,
    account,
    actor,
    month,
    tool,
    credits,
    state: "reserved",
    reservedAt: now,
    expiresAt,
    endedAt: null,
    day: quota !== undefined || tool === answerTool ? dayOf(now) / dayMs : null,
    idempotencyKey: idempotency?.key ?? null,
    retainedUntil: idempotency === null ? null : now + idempotency.retentionMs
  })
  return {
    _tag: "Admitted",
    reservation: { entry: id, account, month, tool, credits, origin, reservedAt: now, expiresAt },
    creditsLeft: leftOf(monthRow, keyRow)
  }
}

const endEntry = (tables: Tables, entry: EntryRow, state: "settled" | "released" | "expired", now: number): void => {
  const monthRow = tables.months.get(makeMonthId(entry.account, entry.month))!
  const charged = state === "settled" ? entry.credits : 0
  entry.state = state
  entry.endedAt = now
  monthRow.reserved -= entry.credits
  monthRow.used += charged
  checkMonth(monthRow)
  const keyRow = findKeyMonth(tables, entry)
  if (keyRow !== undefined) {
    keyRow.reserved -= entry.credits
    keyRow.used += charged
    checkKeyMonth(keyRow)
  }
  countUsage(tables, entry)
}

/** Extends a reservation, or returns false if the reservation has ended or lapsed. */
export const renewOne = (tables: Tables, { entry: id }: Reservation, ttlMs: number, now: number): boolean => {
  const entry = tables.entries.get(id)
  if (entry === undefined || entry.state !== "reserved" || entry.expiresAt <= now) return false
  entry.expiresAt = Math.max(entry.expiresAt, now + ttlMs)
  return true
}

/**
 * Ends one reservation synchronously. A caller can combine this function with other changes in one synchronous step.
 */
export const endOne = (tables: Tables, { outcome, reservation }: EndRequest, now: number): EndResult | Busy => {
  const id = makeMonthId(reservation.account, reservation.month)
  const monthRow = tables.months.get(id)
  if (monthRow === undefined) return { _tag: "AlreadyEnded", outcome: "unknown", creditsLeft: 0 }
  if (tables.lockedMonths.has(id)) return { _tag: "Busy" }
  const entry = tables.entries.get(reservation.entry)
  if (entry === undefined || entry.account !== reservation.account || entry.month !== reservation.month) {
    return { _tag: "AlreadyEnded", outcome: "unknown", creditsLeft: getCreditsLeft(monthRow) }
  }
  if (entry.state !== "reserved" || entry.expiresAt <= now) {
    const endState = entry.state === "reserved" ? "expired" : entry.state
    return { _tag: "AlreadyEnded", outcome: endState, creditsLeft: leftOf(monthRow, findKeyMonth(tables, entry)) }
  }
  endEntry(tables, entry, outcome._tag === "Settle" ? "settled" : "released", now)
  const row = entry.idempotencyKey === null
    ? undefined
    : tables.idempotency.get(makeKeyId(entry.account, entry.idempotencyKey))
  if (outcome._tag === "Settle" && row?.entry === entry.id) row.answer = nullIfTooLong(outcome.response)
  return { _tag: "Ended", creditsLeft: leftOf(monthRow, findKeyMonth(tables, entry)) }
}

const updateCap = (month: MonthRow): void => {
  month.cap = Math.max(month.allotted + month.adjusted, month.used + month.reserved)
}

/**
 * Sets the monthly credits of the current and later months of an account. Months before the current month keep their
 * credits.
 */
const applyMonthlyCredits = (tables: Tables, account: number, allotted: number, now: number): void => {
  for (const month of tables.months.values()) {
    if (month.account !== account || month.month < monthOf(now)) continue
    month.allotted = allotted
    updateCap(month)
  }
}

/** Returns the amount of a refund, or the reason why the call cannot be refunded. */
const getRefund = (
  tables: Tables,
  { account, amount, call }: Extract<AdjustmentRequest, { readonly kind: "refund" }>
): number | AdjustmentResult => {
  const earlier = [...tables.adjustments.values()].find((other) =>
    other.account === account && other.call?.entry === call.entry
  )
  if (earlier !== undefined) return { _tag: "AlreadyRefunded", adjustment: earlier.id }
  const entry = tables.entries.get(call.entry)
  if (entry?.account !== account || entry.month !== call.month) return { _tag: "UnknownCall" }
  if (entry.state !== "settled") return { _tag: "NotCharged" }
  if (amount !== null && amount > entry.credits) return { _tag: "ExceedsCharge", charged: entry.credits }
  return amount ?? entry.credits
}

const adjustOne = (
  tables: Tables,
  request: AdjustmentRequest,
  now: number
): Effect.Effect<AdjustmentResult, StoreUnavailable> => {
  const { account, kind, reason, reference } = request
  const months = adjustedMonths(request, monthOf(now))
  if (months.some((month) => tables.lockedMonths.has(makeMonthId(account, month)))) {
    return Effect.fail(new StoreUnavailable({ store: "LedgerStore", cause: new Error(`Account ${account} is locked`) }))
  }
  if (!tables.accounts.has(account)) return Effect.succeed({ _tag: "NoAccount" })
  const amount = kind === "refund" ? getRefund(tables, request) : request.amount
  if (typeof amount !== "number") return Effect.succeed(amount)
  const rows = months.map((month) => openMonth(tables, account, month)!)
  if (rows.some(({ adjusted }) => Math.abs(adjusted + amount) > maxAdjustedCredits)) {
    return Effect.succeed({ _tag: "OutOfRange" })
  }
  const [first] = rows as [MonthRow] // a request has at least one month
  const { adjusted, allotted, reserved, used } = first
  if (kind === "correction" && amount < 0 && !request.allowNegative && allotted + adjusted + amount < used + reserved) {
    return Effect.succeed({ _tag: "BalanceTooLow", creditsLeft: getCreditsLeft(first) })
  }
  const call = kind === "refund" ? request.call : null
  const adjustments = rows.map((row): Adjustment => {
    row.adjusted += amount
    updateCap(row)
    const id = tables.adjustments.size + 1
    const adjustment = { id, account, month: row.month, kind, amount, reason, reference, call, createdAt: now }
    tables.adjustments.set(id, adjustment)
    return adjustment
  })
  return Effect.succeed({ _tag: "Adjusted", adjustments, balance: toCredits(first) })
}

const expire = (tables: Tables, limit: number, now: number): number => {
  const expiredEntry = [...tables.entries.values()]
    .filter(({ account, expiresAt, month, state }) =>
      state === "reserved" && expiresAt <= now && !tables.lockedMonths.has(makeMonthId(account, month))
    )
    .sort((a, b) => a.expiresAt - b.expiresAt)
    .slice(0, limit)
  for (const entry of expiredEntry) endEntry(tables, entry, "expired", now)
  for (const [id, { entry, retainedUntil }] of tables.idempotency) {
    // The key of an open reservation stays, because a later request for the key must find the reservation.
    if (retainedUntil <= now && tables.entries.get(entry)?.state !== "reserved") tables.idempotency.delete(id)
  }
  return expiredEntry.length
}

const makeThresholdId = ({ account, month, threshold }: ReachedThreshold): string =>
  `${makeMonthId(account, month)}/${threshold}`

const findReachedThresholds = (tables: Tables, now: number): ReadonlyArray<ReachedThreshold> =>
  [...tables.months.values()]
    .map(({ account, adjusted, allotted, month, used }) => ({ account, credits: allotted + adjusted, month, used }))
    .filter(({ credits, month }) => credits > 0 && [monthOf(now), monthOf(now - 3_600_000)].includes(month))
    .sort((a, b) => a.account - b.account || (a.month < b.month ? -1 : 1))
    .flatMap(({ account, credits, month, used }) =>
      creditThresholds.filter((threshold) => used * 100 >= credits * threshold)
        .map((threshold) => ({ account, month, threshold, used, monthlyCredits: credits }))
    )

/** Runs an action with the current time of the fiber's clock. `options.at` replaces the current time. */
const withNow = <A>(options: StatementOptions | undefined, action: (now: number) => A): Effect.Effect<A> =>
  Effect.map(options?.at === undefined ? Clock.currentTimeMillis : Effect.succeed(options.at), action)

/** Provides `LedgerStore` over `MemoryState`, with the clock of the calling fiber. */
export const MemoryLedgerStore: Layer.Layer<LedgerStore, never, MemoryState> = Layer.effect(
  LedgerStore,
  Effect.gen(function*() {
    const tables = yield* MemoryState
    const failpoint = yield* Failpoints
    return LedgerStore.of({
      reserve: (requests, options) =>
        withFailpoints(failpoint, "reserve")(
          withNow(options, (now) => requests.map((request) => reserveOne(tables, request, now)))
        ),
      end: (requests, options) =>
        withFailpoints(failpoint, "end")(
          withNow(options, (now) => requests.map((request) => endOne(tables, request, now)))
        ),
      ...makeChargeMethods(tables, failpoint, withNow),
      renew: (reservation, ttlMs, options) =>
        withFailpoints(failpoint, "renew")(withNow(options, (now) => renewOne(tables, reservation, ttlMs, now))),
      expire: (limit, options) =>
        withFailpoints(failpoint, "expire")(withNow(options, (now) => expire(tables, limit, now))),
      runHousekeeping: (keepMonths, options) =>
        withNow(options, (now) => {
          const today = new Date(now)
          const oldest = monthOf(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 1 - keepMonths, 1))
          for (const [id, entry] of tables.entries) {
            const retained = entry.state === "settled" && (entry.retainedUntil ?? 0) > now
            if (entry.month < oldest && entry.state !== "reserved" && !retained) tables.entries.delete(id)
          }
        }),
      idempotencyState: (account, idempotency, options) =>
        withNow(options, (now) => getKeyState(tables, account, idempotency, now)),
      balance: (account, month, options) => withNow(options, (now) => readBalance(tables, account, month, now)),
      usage: (account, month, options) => withNow(options, (now) => readUsage(tables, account, month, now)),
      usageReport: (query, options) => withNow(options, (now) => readUsageReport(tables, query, now)),
      reachedThresholds: (limit, options) =>
        withNow(
          options,
          (now) =>
            findReachedThresholds(tables, now).filter((one) => !tables.thresholds.has(makeThresholdId(one)))
              .slice(0, limit)
        ),
      markThresholds: (thresholds) =>
        Effect.sync(() => {
          const marked = thresholds.filter((one) => !tables.thresholds.has(makeThresholdId(one)))
          for (const one of marked) tables.thresholds.add(makeThresholdId(one))
          return marked
        }),
      answersToday: (account, options) =>
        withNow(
          options,
          (now) => ({ count: countAnswersToday(tables, account, answerTool, now), renewsAt: dayEnd(now) })
        ),
      changePlan: (account, plan, options) =>
        withFailpoints(failpoint, "changePlan")(Effect.flatMap(
          withNow(options, (now) => {
            const owner = tables.accounts.get(account)
            if (owner === undefined) return false
            tables.accounts.set(account, { ...owner, plan })
            applyMonthlyCredits(tables, account, tables.plans.get(plan) ?? 0, now)
            return true
          }),
          (wasChanged) =>
            wasChanged
              ? Effect.as(PubSub.publish(tables.changes, { _tag: "Account", account }), true)
              : Effect.succeed(false)
        )),
      ...makeKeyLimitMethods(tables, failpoint, withNow),
      plans: Effect.sync(() => Object.fromEntries(tables.plans)),
      definePlans: (monthlyCredits, options) =>
        withFailpoints(failpoint, "definePlans")(withNow(options, (now) => {
          for (const [plan, credits] of Object.entries(monthlyCredits)) {
            if (tables.plans.get(plan) === credits) continue
            tables.plans.set(plan, credits)
            for (const owner of tables.accounts.values()) {
              if (owner.plan === plan) applyMonthlyCredits(tables, owner.id, credits, now)
            }
          }
        })),
      adjust: (request, options) =>
        isAdjustmentInRange(request)
          ? withFailpoints(failpoint, "adjust")(
            Effect.flatten(withNow(options, (now) => adjustOne(tables, request, now)))
          )
          : Effect.succeed({ _tag: "OutOfRange" }),
      adjustments: (account, { after, isNewestFirst = false, limit }, month) =>
        Effect.sync(() => {
          const found = [...tables.adjustments.values()]
            .filter((one) => one.account === account && one.id > after && (month === null || one.month === month))
          return (isNewestFirst ? found.toReversed() : found).slice(0, limit)
        }),
      calls: (query, options) => withNow(options, (now) => readCalls(tables, query, now)),
      time: Clock.currentTimeMillis
    })
  })
)
