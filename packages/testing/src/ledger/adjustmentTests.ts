import { assert } from "@effect/vitest"
import {
  type AdjustmentRequest,
  type AdjustmentResult,
  maxAdjustedCredits,
  maxGrantMonths,
  type Month,
  type Reservation
} from "@tapeline/core/engine"
import { Effect } from "effect"
import {
  createAccountWithCredits,
  getReservation,
  type LedgerTests,
  makeRelease,
  makeRequest,
  makeSettlement,
  month,
  novemberMs,
  renewsAt,
  reserveOne,
  storeAtNovember
} from "./contractFixtures.ts"

const note = { reason: "an outage", reference: "ticket 7" }

const makeGrant = (account: number, amount: number, months = 1, month: Month | null = null): AdjustmentRequest => ({
  kind: "grant",
  account,
  amount,
  month,
  months,
  ...note
})

const makeCorrection = (account: number, amount: number, allowNegative = false): AdjustmentRequest => ({
  kind: "correction",
  account,
  amount,
  month: null,
  allowNegative,
  ...note
})

const makeRefund = (
  { account, entry, month }: Pick<Reservation, "account" | "entry" | "month">,
  amount: number | null = null
): AdjustmentRequest => ({ kind: "refund", account, amount, call: { month, entry }, ...note })

const settleOne = (account: number, credits: number, at = novemberMs) =>
  Effect.gen(function*() {
    const ledger = yield* storeAtNovember
    const reservation = getReservation(yield* reserveOne(makeRequest(account, { credits }), at))
    yield* ledger.end([makeSettlement(reservation)], at)
    return reservation
  })

const assertAdjusted = (answer: AdjustmentResult) => {
  assert(answer._tag === "Adjusted", `expected an adjustment, got ${answer._tag}`)
  return answer
}

const december = "2026-12"
const inDecember = Date.UTC(2026, 11, 3)

export const testGrants = (it: LedgerTests): void => {
  it.effect("adds granted credits to the month, and reports them next to the plan's credits", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(10)
      getReservation(yield* reserveOne(makeRequest(account, { credits: 10 })))
      const { adjustments, balance } = assertAdjusted(yield* ledger.adjust(makeGrant(account, 5)))
      const stored = {
        id: adjustments[0]!.id,
        account,
        month,
        kind: "grant" as const,
        amount: 5,
        ...note,
        call: null,
        createdAt: novemberMs
      }
      assert.deepStrictEqual(adjustments, [stored])
      const credits = { month, monthlyCredits: 10, adjusted: 5, used: 0, reserved: 10, left: 5, renewsAt }
      assert.deepStrictEqual(balance, credits)
      assert.deepStrictEqual(yield* ledger.balance(account, null), { ...credits, tools: [] })
      assert.deepStrictEqual(yield* ledger.adjustments(account, null), [stored])
      const [admitted, refused] = yield* ledger.reserve([
        makeRequest(account, { credits: 4 }),
        makeRequest(account, { credits: 2 })
      ])
      assert.strictEqual(admitted?._tag === "Admitted" && admitted.creditsLeft, 1)
      assert.deepStrictEqual(refused, { _tag: "Refused", creditsLeft: 1, monthlyCredits: 10, renewsAt })
      assert.deepStrictEqual(yield* ledger.end([makeRelease(getReservation(admitted!))]), [
        { _tag: "Ended", creditsLeft: 5 }
      ])
    }))

  it.effect("grants credits to consecutive months, one entry per month, and keeps them when the plan changes", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(10)
      const { adjustments } = assertAdjusted(yield* ledger.adjust(makeGrant(account, 5, 3)))
      assert.deepStrictEqual(adjustments.map(({ month }) => month), [month, december, "2027-01"])
      assert.deepStrictEqual(yield* ledger.adjustments(account, december), [adjustments[1]!])
      const getLeft = (month: string) => Effect.map(ledger.balance(account, month), (balance) => balance?.left)
      const getAllLeft = Effect.all([getLeft(month), getLeft(december), getLeft("2027-01"), getLeft("2027-02")])
      assert.deepStrictEqual(yield* getAllLeft, [15, 15, 15, 10])
      yield* ledger.definePlans({ "contract-10": 12, "contract-100": 100 })
      assert.deepStrictEqual(yield* getAllLeft, [17, 17, 17, 12])
      yield* ledger.changePlan(account, "contract-100")
      assert.deepStrictEqual(yield* getAllLeft, [105, 105, 105, 100])
      getReservation(yield* reserveOne(makeRequest(account, { credits: 105 }), inDecember))
      yield* ledger.definePlans({ "contract-10": 10 })
    }))

  it.effect("pages through adjustments, oldest first", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const [account, other] = [yield* createAccountWithCredits(10), yield* createAccountWithCredits(10)]
      for (const amount of [1, 2]) yield* ledger.adjust(makeGrant(account, amount))
      yield* ledger.adjust(makeGrant(other, 9))
      yield* ledger.adjust(makeGrant(account, 3))
      const [first, second] = yield* ledger.adjustments(account, null, { after: 0, limit: 2 })
      assert.deepStrictEqual([first?.amount, second?.amount], [1, 2])
      const rest = yield* ledger.adjustments(account, null, { after: second!.id, limit: 2 })
      assert.deepStrictEqual(rest.map(({ amount }) => amount), [3])
      const newest = yield* ledger.adjustments(account, month, { after: 0, limit: 2, isNewestFirst: true })
      assert.deepStrictEqual(newest.map(({ amount }) => amount), [3, 2])
      assert.deepStrictEqual(
        yield* ledger.adjustments(account, december, { after: 0, limit: 2, isNewestFirst: true }),
        []
      )
    }))

  it.effect("rejects amounts and months out of range, and an unknown account", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(10)
      const charged = yield* settleOne(account, 3)
      const outOfRange: ReadonlyArray<AdjustmentRequest> = [
        ...[0, -1, 0.5, NaN, Infinity, maxAdjustedCredits + 1].map((amount) => makeGrant(account, amount)),
        ...[0, maxGrantMonths + 1, 1.5, NaN].map((months) => makeGrant(account, 1, months)),
        ...["1999-12", "2026-13", "x"].map((month) => makeGrant(account, 1, 1, month)),
        makeGrant(account, 1, 2, "2999-12"),
        ...[0, 0.5, -maxAdjustedCredits - 1].map((amount) => makeCorrection(account, amount, true)),
        ...[0, -1, 0.5].map((amount) => makeRefund(charged, amount))
      ]
      for (const request of outOfRange) {
        assert.deepStrictEqual(yield* ledger.adjust(request), { _tag: "OutOfRange" }, JSON.stringify(request))
      }
      assert.deepStrictEqual(yield* ledger.adjustments(account, null), [])
      assertAdjusted(yield* ledger.adjust(makeGrant(account, maxAdjustedCredits)))
      assert.deepStrictEqual(yield* ledger.adjust(makeGrant(account, 1, 2)), { _tag: "OutOfRange" })
      assert.strictEqual((yield* ledger.balance(account, december))?.adjusted, 0)
      assertAdjusted(yield* ledger.adjust(makeGrant(account, 1, 1, "2999-12")))
      assert.deepStrictEqual(yield* ledger.adjust(makeGrant(999_999_999, 1)), { _tag: "NoAccount" })
    }))
}

export const testCorrections = (it: LedgerTests): void => {
  it.effect("returns safe integers for the largest plan with the largest grant", () =>
    Effect.gen(function*() {
      const max = Number.MAX_SAFE_INTEGER
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(max)
      const { balance } = assertAdjusted(yield* ledger.adjust(makeGrant(account, maxAdjustedCredits)))
      assert.strictEqual(balance.left, max)
      const admission = yield* reserveOne(makeRequest(account))
      assert(admission._tag === "Admitted")
      assert.strictEqual(admission.creditsLeft, max)
      const ending = yield* ledger.end([makeSettlement(admission.reservation)])
      assert.deepStrictEqual(ending, [{ _tag: "Ended", creditsLeft: max }])
      assert.strictEqual((yield* ledger.balance(account, null))?.left, max)
    }))

  it.effect("rejects a correction below the used and reserved credits, unless the request allows it", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(10)
      const reservation = getReservation(yield* reserveOne(makeRequest(account, { credits: 6 })))
      yield* settleOne(account, 1)
      assert.deepStrictEqual(yield* ledger.adjust(makeCorrection(account, -4)), {
        _tag: "BalanceTooLow",
        creditsLeft: 3
      })
      assert.strictEqual(assertAdjusted(yield* ledger.adjust(makeCorrection(account, -3))).balance.left, 0)
      const { balance } = assertAdjusted(yield* ledger.adjust(makeCorrection(account, -20, true)))
      assert.deepStrictEqual([balance.adjusted, balance.left], [-23, 0])
      assert.deepStrictEqual(yield* reserveOne(makeRequest(account)), {
        _tag: "Refused",
        creditsLeft: 0,
        monthlyCredits: 10,
        renewsAt
      })
      assert.deepStrictEqual(yield* ledger.adjust(makeCorrection(account, -1)), {
        _tag: "BalanceTooLow",
        creditsLeft: 0
      })
      assert.deepStrictEqual(yield* ledger.end([makeSettlement(reservation)]), [{ _tag: "Ended", creditsLeft: 0 }])
      assert.strictEqual(assertAdjusted(yield* ledger.adjust(makeGrant(account, 20))).balance.left, 0)
      assert.strictEqual((yield* reserveOne(makeRequest(account)))._tag, "Refused")
      assert.strictEqual(assertAdjusted(yield* ledger.adjust(makeCorrection(account, 1))).balance.left, 1)
      assert.strictEqual((yield* reserveOne(makeRequest(account)))._tag, "Admitted")
    }))

  it.effect("never takes credits that a concurrent call uses", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(40)
      const answers = yield* Effect.all([
        ...Array.from({ length: 30 }, () => Effect.map(ledger.reserve([makeRequest(account)]), ([one]) => one!)),
        ...Array.from({ length: 10 }, () => ledger.adjust(makeCorrection(account, -3)))
      ], { concurrency: "unbounded" })
      const count = (tag: string) => answers.filter(({ _tag }) => _tag === tag).length
      const balance = yield* ledger.balance(account, null)
      assert.deepStrictEqual([balance?.reserved, balance?.adjusted], [count("Admitted"), -3 * count("Adjusted")])
      assert.isAtMost(count("Admitted") + 3 * count("Adjusted"), 40)
      assert.strictEqual(count("Admitted") + count("Adjusted") + count("Refused") + count("BalanceTooLow"), 40)
    }))
}

export const testRefunds = (it: LedgerTests): void => {
  it.effect("refunds a charged call once, in the current month", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(10)
      const charged = yield* settleOne(account, 7)
      const { adjustments: [refund], balance } = assertAdjusted(yield* ledger.adjust(makeRefund(charged), inDecember))
      assert.deepInclude(refund, {
        month: december,
        kind: "refund",
        amount: 7,
        call: { month, entry: charged.entry },
        createdAt: inDecember
      })
      assert.deepStrictEqual([balance.month, balance.adjusted, balance.left], [december, 7, 17])
      assert.strictEqual((yield* ledger.balance(account, month))?.left, 3)
      const again = { _tag: "AlreadyRefunded", adjustment: refund!.id } as const
      assert.deepStrictEqual(yield* ledger.adjust(makeRefund(charged)), again)
      assert.deepStrictEqual(yield* ledger.adjust(makeRefund(charged, 1)), again)
      assert.deepStrictEqual(yield* ledger.adjustments(account, december), [refund!])
      assert.strictEqual((yield* ledger.balance(account, month))?.used, 7)
    }))

  it.effect("refunds a part of a charge, and never more than the charge", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(10)
      const charged = yield* settleOne(account, 7)
      assert.deepStrictEqual(yield* ledger.adjust(makeRefund(charged, 8)), { _tag: "ExceedsCharge", charged: 7 })
      assert.strictEqual(assertAdjusted(yield* ledger.adjust(makeRefund(charged, 2))).balance.left, 5)
    }))

  it.effect("rejects a refund of a running, failed or unknown call, or of a call of another account", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const [account, other] = [yield* createAccountWithCredits(10), yield* createAccountWithCredits(10)]
      const reservation = getReservation(yield* reserveOne(makeRequest(account)))
      assert.deepStrictEqual(yield* ledger.adjust(makeRefund(reservation)), { _tag: "NotCharged" })
      yield* ledger.end([makeRelease(reservation)])
      assert.deepStrictEqual(yield* ledger.adjust(makeRefund(reservation)), { _tag: "NotCharged" })
      const charged = yield* settleOne(account, 7)
      for (const change of [{ account: other }, { month: december }, { entry: 987_654_321 }]) {
        assert.deepStrictEqual(yield* ledger.adjust(makeRefund({ ...charged, ...change })), { _tag: "UnknownCall" })
      }
      assert.strictEqual((yield* ledger.balance(account, null))?.adjusted, 0)
      assert.strictEqual((yield* ledger.balance(other, null))?.adjusted, 0)
    }))

  it.effect("makes one of several concurrent refunds of a call", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(10)
      const charged = yield* settleOne(account, 7)
      const answers = yield* Effect.forEach(
        [null, 1, 7, null, 3, null],
        (amount) => ledger.adjust(makeRefund(charged, amount)),
        { concurrency: "unbounded" }
      )
      const { adjustments: [refund] } = assertAdjusted(answers.find(({ _tag }) => _tag === "Adjusted")!)
      assert.deepStrictEqual(
        answers.filter(({ _tag }) => _tag !== "Adjusted"),
        Array.from({ length: 5 }, () => ({ _tag: "AlreadyRefunded" as const, adjustment: refund!.id }))
      )
      assert.strictEqual((yield* ledger.balance(account, null))?.adjusted, refund!.amount)
    }))
}
