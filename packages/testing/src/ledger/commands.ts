import {
  type Actor,
  type AdjustmentRequest,
  dayOf,
  type Idempotency,
  type LedgerStore,
  type Month,
  monthAfter,
  monthEnd,
  monthOf,
  type Reservation,
  type ReserveRequest,
  usageDimensions,
  type UsageLine,
  type UsageReportQuery,
  usageStart
} from "@tapeline/core/engine"
import { Effect } from "effect"
import fc from "fast-check"
import type { Auditor } from "./auditor.ts"
import { chargeCommands } from "./chargeCommands.ts"
import { accountArbitrary, actors, day, idempotencyArbitrary, makeActor, minute } from "./commandArbitraries.ts"
import { keyLimitCommands } from "./keyLimitCommands.ts"
import { atModelTime, type Command, makeCommand } from "./modelCommand.ts"

const makeSync = (execute: () => void) => Effect.sync(execute)

interface RequestShape {
  readonly account: number
  readonly credits: number
  readonly tool: string
  readonly actor: Actor
  readonly ttlMs: number
  readonly idempotency: Idempotency | null
  readonly quota?: { readonly max: number } | undefined
}

const credits = fc.constantFrom(1, 1, 1, 2, 5, 20)
const ttlMs = fc.constantFrom(1_000, minute, 10 * minute, 40 * day)
const requestArbitrary: fc.Arbitrary<RequestShape> = fc.record({
  account: accountArbitrary,
  credits,
  tool: fc.constantFrom("get_price", "get_book", "agent.answer"),
  actor: fc.constantFrom(...actors),
  ttlMs,
  idempotency: fc.oneof(fc.constant(null), fc.constant(null), idempotencyArbitrary),
  quota: fc.constantFrom(undefined, undefined, undefined, { max: 1 }, { max: 3 })
})

const makeRequest = (auditor: Auditor, { account, actor, ...rest }: RequestShape): ReserveRequest => ({
  ...rest,
  actor: makeActor(auditor, account, actor),
  // The first index after the existing accounts is that of an unknown account.
  account: auditor.accounts[account] ?? 999_999_999
})

const hasReservations = (auditor: Readonly<Auditor>) => auditor.reservations.length > 0

/** Selects an active or ended reservation. `backIndex` 0 selects the newest reservation. */
const pickReservation = (auditor: Auditor, backIndex: number): Reservation =>
  auditor.reservations[auditor.reservations.length - 1 - (backIndex % auditor.reservations.length)]!

const reserveCommand = fc.array(
  fc.oneof({ weight: 30, arbitrary: requestArbitrary }, {
    weight: 1,
    arbitrary: requestArbitrary.map((a) => ({ ...a, account: 3 }))
  }),
  {
    minLength: 1,
    maxLength: 5
  }
).map((asks) =>
  makeCommand(`reserve ${JSON.stringify(asks)}`, (auditor, { store }) => {
    const requests = asks.map((requestShape) => makeRequest(auditor, requestShape))
    return Effect.map(store.reserve(requests, atModelTime(auditor)), (answers) =>
      auditor.checkReserved(requests, answers))
  })
)

const raceCommand = fc.record({
  account: accountArbitrary,
  credits: fc.constantFrom(1, 2, 5),
  actor: fc.constantFrom(...actors),
  callers: fc.integer({ min: 2, max: 9 })
}).map((
  shape
) =>
  makeCommand(`race ${JSON.stringify(shape)}`, (auditor, { store }) => {
    const requestShape: RequestShape = {
      ...shape,
      tool: "get_price",
      ttlMs: minute,
      idempotency: null,
      quota: undefined
    }
    const requests = Array.from({ length: shape.callers }, () => makeRequest(auditor, requestShape))
    return Effect.map(
      Effect.forEach(requests, (request) =>
        Effect.map(store.reserve([request], atModelTime(auditor)), ([answer]) => answer!), {
        concurrency: "unbounded"
      }),
      (answers) =>
        auditor.checkRaced(requests, answers)
    )
  })
)

const backIndex = fc.nat({ max: 12 })
const outcome = fc.oneof(
  fc.record({ _tag: fc.constant("Settle" as const), response: fc.constantFrom("yes", "no", null) }),
  fc.record({ _tag: fc.constant("Release" as const) })
)

const endCommand = fc.array(fc.record({ back: backIndex, outcome }), { minLength: 1, maxLength: 4 }).map((ends) =>
  makeCommand(`end ${JSON.stringify(ends)}`, (auditor, { store }) => {
    const requests = ends.map(({ back, outcome }) => ({ reservation: pickReservation(auditor, back), outcome }))
    return Effect.map(store.end(requests, atModelTime(auditor)), (answers) => auditor.checkEnded(requests, answers))
  }, hasReservations)
)

const endRaceCommand = fc.record({ back: backIndex, outcome }).map(({ back, outcome }) =>
  makeCommand(`race to end ${back} ${outcome._tag}`, (auditor, { store }) => {
    const request = { reservation: pickReservation(auditor, back), outcome }
    return Effect.map(
      Effect.forEach([1, 2, 3], () => Effect.map(store.end([request], atModelTime(auditor)), ([answer]) => answer!), {
        concurrency: "unbounded"
      }),
      (answers) =>
        auditor.checkEnded(
          [request, request, request],
          answers.toSorted((a, b) => a._tag === b._tag ? 0 : a._tag === "Ended" ? -1 : 1)
        )
    )
  }, hasReservations)
)

const renewCommand = fc.record({ back: backIndex, ttlMs }).map(({ back, ttlMs }) =>
  makeCommand(`renew ${back} for ${ttlMs}`, (auditor, { store }) => {
    const reservation = pickReservation(auditor, back)
    const expiresAt = auditor.now + ttlMs
    return Effect.map(
      store.renew(reservation, ttlMs, atModelTime(auditor)),
      (answer) => auditor.checkRenewed(reservation, expiresAt, answer)
    )
  }, hasReservations)
)

const sweepCommand = fc.constantFrom(2, 1_000).map((limit) =>
  makeCommand(
    `sweep ${limit}`,
    (auditor, { readRows, store }) =>
      Effect.flatMap(store.expire(limit, atModelTime(auditor)), (count) =>
        Effect.map(readRows(auditor.accounts), (remainingRows) =>
          auditor.checkSwept(limit, count, remainingRows)))
  )
)

const waitCommand = fc.constantFrom(1, 1_000, minute, 6 * minute, day).map((ms) =>
  makeCommand(`wait ${ms}`, (auditor) => makeSync(() => void (auditor.now += ms)))
)

const nextMonthCommand = fc.constantFrom(-1, 0, 5).map((offset) =>
  makeCommand(
    `advance to ${offset} ms after the end of the month`,
    (auditor) => makeSync(() => void (auditor.now = Math.max(auditor.now, monthEnd(auditor.month) + offset)))
  )
)

const plan = fc.nat({ max: 3 })
const getPlanName = (auditor: Auditor, index: number) => [...auditor.plans.keys()][index % auditor.plans.size]!

const changePlanCommand = fc.record({ account: accountArbitrary, plan }).map(({ account, plan }) =>
  makeCommand(`change account ${account} to plan ${plan}`, (auditor, { store }) => {
    const [id, name] = [auditor.accounts[account]!, getPlanName(auditor, plan)]
    return Effect.map(
      store.changePlan(id, name, atModelTime(auditor)),
      (answer) => auditor.applyPlanChange(id, name, answer)
    )
  })
)

const definePlanCommand = fc.record({ plan, credits: fc.constantFrom(0, 3, 25, 60) }).map(({ credits, plan }) =>
  makeCommand(`define plan ${plan} as ${credits}`, (auditor, { store }) => {
    const name = getPlanName(auditor, plan)
    return Effect.map(
      store.definePlans({ [name]: credits }, atModelTime(auditor)),
      () => auditor.applyPlanDefinition(name, credits)
    )
  })
)

const recallCommand = fc.record({ account: accountArbitrary, idempotency: idempotencyArbitrary }).map((
  { account, idempotency }
) =>
  makeCommand(`recall ${account} ${JSON.stringify(idempotency)}`, (auditor, { store }) => {
    const id = auditor.accounts[account]!
    return Effect.map(
      store.idempotencyState(id, idempotency, atModelTime(auditor)),
      (answer) => auditor.checkRecalled(id, idempotency, answer)
    )
  })
)

const answersTodayCommand = accountArbitrary.map((account) =>
  makeCommand(`answers of ${account} today`, (auditor, { store }) => {
    const id = auditor.accounts[account]!
    return Effect.map(store.answersToday(id, atModelTime(auditor)), (answer) => auditor.checkCounted(id, answer))
  })
)

const getPreviousMonth = (month: Month): Month => monthOf(Date.parse(`${month}-01T00:00:00Z`) - 1)

const balanceCommand = accountArbitrary.map((account) =>
  makeCommand(`balance of ${account}`, (auditor, { store }) => {
    const id = auditor.accounts[account]!
    return Effect.map(store.balance(id, null, atModelTime(auditor)), (answer) =>
      auditor.checkBalance(id, auditor.month, answer))
  })
)

const usageCommand = fc.record({ account: accountArbitrary, isPreviousMonth: fc.boolean() }).map((
  { account, isPreviousMonth }
) =>
  makeCommand(`usage of ${account}${isPreviousMonth ? " in the month before" : ""}`, (auditor, { store }) => {
    const id = auditor.accounts[account]!
    const month = isPreviousMonth ? getPreviousMonth(auditor.month) : auditor.month
    return Effect.map(
      store.usage(id, isPreviousMonth ? month : null, atModelTime(auditor)),
      (answer) => auditor.checkUsage(id, month, answer)
    )
  })
)

const note = { reason: "model", reference: null }

/** A month relative to the current month, or null for the current month. */
const monthOffset = fc.constantFrom(null, null, 0, 1, -1)
const getMonth = (auditor: Auditor, offset: number | null): Month | null =>
  offset === null ? null : monthAfter(auditor.month, offset)

const makeAdjustCommand = (name: string, account: number, makeRequest: (auditor: Auditor) => AdjustmentRequest) =>
  makeCommand(`${name} for account ${account}`, (auditor, { store }) => {
    const request = makeRequest(auditor)
    return Effect.map(store.adjust(request, atModelTime(auditor)), (answer) => auditor.checkAdjusted(request, answer))
  })

/** The index after the last account is an unknown account. */
const adjustedAccount = fc.constantFrom(0, 0, 1, 1, 2, 2, 3)
const getAccount = (auditor: Auditor, account: number): number => auditor.accounts[account] ?? 999_999_999

const grantCommand = fc.record({
  account: adjustedAccount,
  amount: fc.constantFrom(1, 5, 40),
  offset: monthOffset,
  months: fc.constantFrom(1, 1, 3)
}).map(({ account, amount, months, offset }) =>
  makeAdjustCommand(`grant ${amount} for ${months} months from ${offset}`, account, (auditor) => ({
    kind: "grant",
    account: getAccount(auditor, account),
    amount,
    month: getMonth(auditor, offset),
    months,
    ...note
  }))
)

const correctionCommand = fc.record({
  account: adjustedAccount,
  amount: fc.constantFrom(-40, -5, -2, -1, 3),
  offset: monthOffset,
  allowNegative: fc.constantFrom(false, false, true)
}).map(({ account, allowNegative, amount, offset }) =>
  makeAdjustCommand(`correct ${amount} in ${offset}, ${allowNegative}`, account, (auditor) => ({
    kind: "correction",
    account: getAccount(auditor, account),
    amount,
    month: getMonth(auditor, offset),
    allowNegative,
    ...note
  }))
)

/** Refunds of one reservation that run concurrently, sometimes of another account or month than the reservation. */
const refundCommand = fc.record({
  back: backIndex,
  amount: fc.constantFrom(null, null, 1, 3),
  isOtherAccount: fc.constantFrom(false, false, false, true),
  isOtherMonth: fc.constantFrom(false, false, false, true),
  callers: fc.constantFrom(1, 1, 2, 3)
}).map(({ amount, back, callers, isOtherAccount, isOtherMonth }) =>
  makeCommand(
    `${callers} refunds of ${amount} of ${back}, ${isOtherAccount}, ${isOtherMonth}`,
    (auditor, { store }) => {
      const { account, entry, month } = pickReservation(auditor, back)
      const request: AdjustmentRequest = {
        kind: "refund",
        account: isOtherAccount ? auditor.accounts.find((other) => other !== account)! : account,
        amount,
        call: { month: isOtherMonth ? monthAfter(month, 1) : month, entry },
        ...note
      }
      return Effect.map(
        Effect.forEach(Array.from({ length: callers }), () => store.adjust(request, atModelTime(auditor)), {
          concurrency: "unbounded"
        }),
        (answers) => {
          const adjustedFirst = answers.toSorted((a, b) =>
            Number(b._tag === "Adjusted") - Number(a._tag === "Adjusted")
          )
          for (const answer of adjustedFirst) auditor.checkAdjusted(request, answer)
        }
      )
    },
    hasReservations
  )
)

const adjustmentsCommand = fc.record({ account: accountArbitrary, offset: monthOffset, place: fc.nat({ max: 3 }) }).map(
  (
    { account, offset, place }
  ) =>
    makeCommand(`adjustments of ${account} in ${offset} after ${place}`, (auditor, { store }) => {
      const [id, month] = [auditor.accounts[account]!, getMonth(auditor, offset)]
      const page = { after: auditor.adjustments[place]?.id ?? 0, limit: 2 }
      return Effect.map(
        store.adjustments(id, page, month),
        (answer) => auditor.checkAdjustments(id, page, month, answer)
      )
    })
)

/** Reads all lines of a report, page by page. */
export const readReport = (store: LedgerStore["Service"], query: UsageReportQuery, options?: { readonly at: number }) =>
  Effect.gen(function*() {
    const lines: Array<UsageLine> = []
    for (;;) {
      const page = yield* store.usageReport({ ...query, after: lines.at(-1)?.position ?? query.after }, options)
      if (page.lines.length === 0) return lines
      lines.push(...page.lines)
    }
  })

const reportCommand = fc.record({
  account: accountArbitrary,
  groupBy: fc.subarray([...usageDimensions]),
  limit: fc.integer({ min: 1, max: 4 }),
  days: fc.constantFrom(0, 1, 30, 60),
  lastDay: fc.constantFrom(0, 1, 20),
  key: fc.constantFrom(undefined, undefined, 900_000_001),
  operation: fc.constantFrom(undefined, undefined, "get_price")
}).map(({ account, days, lastDay, ...shape }) =>
  makeCommand(
    `report of ${account}, ${days} days to day -${lastDay}, ${JSON.stringify(shape)}`,
    (auditor, { store }) => {
      const to = dayOf(auditor.now) - lastDay * day
      const query = { ...shape, account: auditor.accounts[account]!, from: to - days * day, to, after: usageStart }
      return Effect.map(
        readReport(store, query, atModelTime(auditor)),
        (lines) => auditor.checkReport(query, lines)
      )
    }
  )
)

/** The commands of a model run. A command that occurs several times in the list runs more often. */
export const ledgerCommands: Array<fc.Arbitrary<Command>> = [
  reserveCommand,
  reserveCommand,
  reserveCommand,
  reserveCommand,
  raceCommand,
  endCommand,
  endCommand,
  endCommand,
  endRaceCommand,
  renewCommand,
  sweepCommand,
  waitCommand,
  waitCommand,
  nextMonthCommand,
  changePlanCommand,
  definePlanCommand,
  recallCommand,
  answersTodayCommand,
  balanceCommand,
  usageCommand,
  grantCommand,
  correctionCommand,
  refundCommand,
  refundCommand,
  adjustmentsCommand,
  reportCommand,
  ...chargeCommands,
  ...keyLimitCommands
]
