import { Clock, Context, Effect, Exit, Layer, Schedule, type Scope } from "effect"
import type { StoreUnavailable } from "../store/errors.ts"
import type { AccountCall, AccountCallQuery } from "./accountCall.ts"
import type { Adjustment, AdjustmentPage, AdjustmentRequest } from "./adjustment.ts"
import type { ChargeRequest, ChargeResult, UnreservedCall } from "./charge.ts"
import {
  type AdjustmentResult,
  type EndRequest,
  type EndResult,
  type IdempotencyState,
  type KeyCredits,
  LedgerStore,
  type MonthBalance,
  type MonthUsage
} from "./LedgerStore.ts"
import type { Month } from "./month.ts"
import type { Admission, Idempotency, Reservation, ReserveRequest } from "./reservation.ts"
import { retryingGroupCommit } from "./retryingGroupCommit.ts"
import { makeCallIds, makeCharge, makeFailureLog } from "./unreservedCalls.ts"
import type { UsageReport, UsageReportQuery } from "./usage.ts"

/** The settings for batching concurrent ledger calls and for the maximum time that a caller waits. */
export interface LedgerOptions {
  /** The maximum number of requests per batch; 256 by default. */
  readonly maxBatch?: number
  /**
   * The maximum number of concurrent batches of reservations; 2 by default. The limit applies separately to batches
   * that end reservations.
   */
  readonly batchesInFlight?: number
  /**
   * The maximum time in ms that a caller waits for a locked account balance or an uncertain settlement; 9500 by
   * default.
   */
  readonly maxWaitMs?: number
}

/** The settings for expiring lapsed reservations and for deleting old reservations. */
export interface SweeperOptions {
  /** The time from the end of one sweep to the start of the next sweep, in ms; 5000 by default. */
  readonly intervalMs?: number
  /** The maximum number of reservations that one statement expires; 500 by default. */
  readonly batchSize?: number
  /**
   * The number of months for which reservations are kept, including the current month: 13 by default, and at least
   * `minRetentionMonths`. Account balances and usage are kept permanently.
   */
  readonly retentionMonths?: number
  /** The time from the end of one housekeeping run to the start of the next run, in ms; 600 000 by default. */
  readonly housekeepingIntervalMs?: number
}

/** The minimum of `retentionMonths`. A call can end in the month after its reservation. */
export const minRetentionMonths = 2

const retrySchedule = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("1 second")])

/** The default of `maxWaitMs`, chosen so that a response arrives within ten seconds. */
const defaultMaxWaitMs = 9_500

/** The minimum time in ms for which a settlement is retried after the store became unavailable. */
const minSettlementRetryMs = 2_000

/**
 * The time in ms for which a failed release is retried in the background. If all retries fail, the reservation lapses
 * when its lease ends.
 */
const releaseRetryMs = 30_000

/** The clock difference in ms between a node and the store above which a warning is logged. */
const maxClockDifferenceMs = 2_000

const makeEndings = (
  end: (request: EndRequest) => Effect.Effect<EndResult, StoreUnavailable>,
  maxWaitMs: number,
  scope: Scope.Scope
) => {
  const releaseInBackground = (reservation: Reservation) => {
    const request: EndRequest = { reservation, outcome: { _tag: "Release" } }
    return Effect.forkIn(
      Effect.ignore(Effect.timeout(Effect.retry(end(request), retrySchedule), releaseRetryMs)),
      scope
    )
  }

  /**
   * Retries a settlement after the store became unavailable. If the settlement still fails at the time limit, releases
   * the reservation in the background.
   */
  const retrySettlement = Effect.fnUntraced(function*(request: EndRequest, cause: StoreUnavailable, startedAt: number) {
    const remainingMs = startedAt + maxWaitMs - (yield* Clock.currentTimeMillis)
    const ending = yield* Effect.retry(end(request), retrySchedule).pipe(
      Effect.timeoutOrElse({
        duration: Math.max(minSettlementRetryMs, remainingMs),
        orElse: () => Effect.andThen(releaseInBackground(request.reservation), Effect.fail(cause))
      })
    )
    // Only one call settles a reservation, so an earlier attempt of the call has settled the reservation.
    return ending._tag === "AlreadyEnded" && ending.outcome === "settled"
      ? { _tag: "Ended" as const, creditsLeft: ending.creditsLeft }
      : ending
  })

  const settle = (reservation: Reservation, response: string | null): Effect.Effect<EndResult, StoreUnavailable> =>
    Effect.clockWith((clock) => {
      const startedAt = clock.currentTimeMillisUnsafe()
      const request: EndRequest = { reservation, outcome: { _tag: "Settle", response } }
      return Effect.catch(end(request), (cause) => retrySettlement(request, cause, startedAt))
    })

  const release = (reservation: Reservation) =>
    Effect.tapError(end({ reservation, outcome: { _tag: "Release" } }), () => releaseInBackground(reservation))

  return { settle, release }
}

/**
 * Reserves, settles and releases credits for the engine. Concurrent reservations and concurrent endings are sent to the
 * store in batches. If a caller is interrupted while it waits for an admission, an admitted reservation is released.
 * The caller must end every reservation that `reserve` returns. Use `reserve` as the acquisition of an
 * `Effect.acquireUseRelease`.
 */
export class Ledger extends Context.Service<Ledger, {
  /** Requests a reservation of `credits`. The reservation lapses after `ttlMs` ms unless it is ended or renewed. */
  readonly reserve: (request: ReserveRequest) => Effect.Effect<Admission, StoreUnavailable>
  /**
   * Charges the reservation, and stores `response` for a repeated call under the idempotency key. If the store becomes
   * unavailable, the settlement is retried. If the settlement fails, the reservation may or may not be charged. If the
   * reservation is still active after a failed settlement, a background retry releases it.
   */
  readonly settle: (reservation: Reservation, response: string | null) => Effect.Effect<EndResult, StoreUnavailable>
  /** Releases the reservation without a charge, retrying in the background after a failure. */
  readonly release: (reservation: Reservation) => Effect.Effect<EndResult, StoreUnavailable>
  /** Returns the id of a new call, for `charge` or `recordFailure`. */
  readonly takeCallId: Effect.Effect<number, StoreUnavailable>
  /**
   * Charges a call that ran without a reservation. If the store becomes unavailable, the request is repeated. After
   * `StoreUnavailable`, the call may or may not be charged.
   */
  readonly charge: (request: Omit<ChargeRequest, "isRepeated">) => Effect.Effect<ChargeResult, StoreUnavailable>
  /** Records a failed call that ran without a reservation within a few seconds. The record may be lost. */
  readonly recordFailure: (call: UnreservedCall) => Effect.Effect<void>
  /** Extends the lease of a reservation to `ttlMs` ms from now, or returns false if the reservation has ended. */
  readonly renew: (reservation: Reservation, ttlMs: number) => Effect.Effect<boolean, StoreUnavailable>
  /**
   * Renews the reservation every third of `ttlMs` until the reservation ends. While the store is unavailable, renewal
   * is retried.
   */
  readonly keepAlive: (reservation: Reservation, ttlMs: number) => Effect.Effect<void>
  /** Returns the state of an idempotency key, or null if the key is free. */
  readonly idempotencyState: (
    account: number,
    idempotency: Idempotency
  ) => Effect.Effect<IdempotencyState | null, StoreUnavailable>
  /** Returns the account balance of `month`, by default of the current month, or null if the account does not exist. */
  readonly balance: (account: number, month?: Month) => Effect.Effect<MonthBalance | null, StoreUnavailable>
  /** Returns the account balance of a month and its usage by day and by caller, read consistently. */
  readonly usage: (account: number, month?: Month) => Effect.Effect<MonthUsage | null, StoreUnavailable>
  /** Returns lines of a usage report over all accounts. */
  readonly usageReport: (query: UsageReportQuery) => Effect.Effect<UsageReport, StoreUnavailable>
  /**
   * Returns the number of the account's analyst answers on the current UTC day, including running answers. `renewsAt`
   * is the end of the day, in epoch ms.
   */
  readonly answersToday: (
    account: number
  ) => Effect.Effect<{ readonly count: number; readonly renewsAt: number }, StoreUnavailable>
  /** Changes the account's plan and its monthly credits, or returns false if the account does not exist. */
  readonly changePlan: (account: number, plan: string) => Effect.Effect<boolean, StoreUnavailable>
  /** Changes the monthly credits of a key; null removes the limit. Returns false if the key does not exist. */
  readonly limitKey: (key: number, monthlyCredits: number | null) => Effect.Effect<boolean, StoreUnavailable>
  /** Returns the credits of each key in the current month, or null for a key without monthly credits of its own. */
  readonly keyCredits: (
    keys: ReadonlyArray<number>
  ) => Effect.Effect<ReadonlyArray<KeyCredits | null>, StoreUnavailable>
  /**
   * Grants credits, refunds a call, or corrects an account balance. After `StoreUnavailable`, it is unknown whether the
   * adjustment was made.
   */
  readonly adjust: (request: AdjustmentRequest) => Effect.Effect<AdjustmentResult, StoreUnavailable>
  /** Returns a page of the account's adjustments of `month`, by default of all months. */
  readonly adjustments: (
    account: number,
    page: AdjustmentPage,
    month?: Month
  ) => Effect.Effect<ReadonlyArray<Adjustment>, StoreUnavailable>
  /** Returns calls of an account in a month, largest id first. */
  readonly calls: (query: AccountCallQuery) => Effect.Effect<ReadonlyArray<AccountCall>, StoreUnavailable>
}>()("@tapeline/core/credits/Ledger") {
  static readonly layerWith = (options: LedgerOptions): Layer.Layer<Ledger, never, LedgerStore> =>
    Layer.effect(
      Ledger,
      Effect.gen(function*() {
        const store = yield* LedgerStore
        const maxWaitMs = options.maxWaitMs ?? defaultMaxWaitMs
        const batching = {
          maxBatch: options.maxBatch ?? 256,
          batchesInFlight: options.batchesInFlight ?? 2,
          maxWaitMs: maxWaitMs,
          store: "LedgerStore",
          lockedResource: "balance"
        }
        // The rest of `maxWaitMs` is reserved for retries of a settlement or a charge.
        const chargeBatching = { ...batching, maxWaitMs: Math.max(maxWaitMs / 2, maxWaitMs - minSettlementRetryMs) }
        const reserve = yield* retryingGroupCommit(store.reserve, ({ account }: ReserveRequest) => account, batching)
        const end = yield* retryingGroupCommit(
          store.end,
          ({ reservation }: EndRequest) => reservation.account,
          chargeBatching
        )
        const charge = yield* retryingGroupCommit(
          store.charge,
          ({ account }: ChargeRequest) => account,
          chargeBatching
        )

        const callIds = makeCallIds(store.callIds)
        const { release, settle } = makeEndings(end, maxWaitMs, yield* Effect.scope)
        const releaseIfAdmitted = (exit: Exit.Exit<Admission, StoreUnavailable>) =>
          Exit.isSuccess(exit) && exit.value._tag === "Admitted"
            ? Effect.ignore(release(exit.value.reservation))
            : Effect.void

        yield* Effect.forkScoped(warnOfClockDifference(store))

        return Ledger.of({
          reserve: (request) => reserve(request, releaseIfAdmitted),
          settle,
          release,
          takeCallId: callIds.take,
          charge: makeCharge(charge, callIds.discard, retrySchedule, { maxWaitMs, minRetryMs: minSettlementRetryMs }),
          recordFailure: yield* makeFailureLog(store.recordFailures),
          renew: store.renew,
          keepAlive: (reservation, ttlMs) => {
            const renewUntilEnded: Effect.Effect<void> = Effect.flatMap(
              Effect.andThen(
                Effect.sleep(ttlMs / 3),
                Effect.catch(store.renew(reservation, ttlMs), () => Effect.succeed(true))
              ),
              (isActive) => isActive ? renewUntilEnded : Effect.void
            )
            return renewUntilEnded
          },
          idempotencyState: store.idempotencyState,
          balance: (account, month) => store.balance(account, month ?? null),
          usage: (account, month) => store.usage(account, month ?? null),
          usageReport: store.usageReport,
          answersToday: store.answersToday,
          changePlan: store.changePlan,
          limitKey: store.limitKey,
          keyCredits: store.keyCredits,
          adjust: store.adjust,
          adjustments: (account, page, month) => store.adjustments(account, page, month ?? null),
          calls: (query) => store.calls(query)
        })
      })
    )

  static readonly layer: Layer.Layer<Ledger, never, LedgerStore> = Ledger.layerWith({})

  /** Expires lapsed reservations and runs the store's housekeeping, now and at intervals, on any number of nodes. */
  static readonly layerSweeper = (options: SweeperOptions = {}): Layer.Layer<never, never, LedgerStore> =>
    Layer.effectDiscard(Effect.gen(function*() {
      const store = yield* LedgerStore
      const batchSize = options.batchSize ?? 500
      const retentionMonths = options.retentionMonths ?? 13
      if (!Number.isInteger(retentionMonths) || retentionMonths < minRetentionMonths) {
        return yield* Effect.die(new RangeError(`retentionMonths must be an integer of at least ${minRetentionMonths}`))
      }
      const sweep: Effect.Effect<void, StoreUnavailable> = Effect.flatMap(
        store.expire(batchSize),
        (count) => count < batchSize ? Effect.void : sweep
      )
      const repeat = (operation: string, work: Effect.Effect<void, StoreUnavailable>, intervalMs: number) =>
        work.pipe(
          Effect.catchCause((cause) => Effect.logWarning(`${operation} failed`, cause)),
          Effect.andThen(Effect.sleep(intervalMs)),
          Effect.forever,
          Effect.forkScoped
        )
      yield* repeat("Expiring reservations", sweep, options.intervalMs ?? 5_000)
      yield* repeat(
        "The housekeeping of the ledger",
        store.runHousekeeping(retentionMonths),
        options.housekeepingIntervalMs ?? 600_000
      )
    }))
}

/**
 * Logs a warning if this node's clock differs from the store's clock. The ledger uses the store's clock, but logs, key
 * expiries and market data use the node's clock.
 */
const warnOfClockDifference = (store: LedgerStore["Service"]): Effect.Effect<void> =>
  Effect.gen(function*() {
    const before = yield* Clock.currentTimeMillis
    const storeTime = yield* store.time
    const after = yield* Clock.currentTimeMillis
    const clockDifferenceMs = Math.round((before + after) / 2 - storeTime)
    if (Math.abs(clockDifferenceMs) > maxClockDifferenceMs + (after - before) / 2) {
      yield* Effect.logWarning(
        `This node's clock is ${Math.abs(clockDifferenceMs)} ms ${
          clockDifferenceMs > 0 ? "ahead of" : "behind"
        } the database's. ` +
          "Credits use the database's clock; correct the clock of this machine"
      )
    }
  }).pipe(Effect.retry(Schedule.spaced("5 seconds")), Effect.ignore)
