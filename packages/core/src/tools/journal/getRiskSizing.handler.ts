import { rMultiple } from "@tapeline/quant/risk"
import { Effect } from "effect"
import { ToolFailure } from "../../engine/tool/failure.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { numberOrNull } from "../../personal/journal/decimal.ts"
import { JournalStore } from "../../personal/journal/JournalStore.ts"
import { computeLiquidationPrice, computeSizing, isLiquidatedFirst } from "../../personal/journal/positionRisk.ts"
import { noProfile, type RiskProfile } from "../../personal/journal/records.ts"
import { getRiskSizing } from "./getRiskSizing.ts"

type SizingRequest = typeof getRiskSizing.parameters.Type

/** Returns the percentage of the account that is at risk, and the source of the percentage. */
const chooseRisk = ({ risk_pct }: SizingRequest, { riskPct }: RiskProfile) =>
  risk_pct !== undefined
    ? { riskPct: risk_pct, source: "argument" as const }
    : riskPct !== null
    ? { riskPct: numberOrNull(riskPct)!, source: "profile" as const }
    : { riskPct: 1, source: "default" as const }

const makeWarnings = ({ accountUsd, request, liquidation, maxLeverage, side, sizeUsd }: {
  readonly request: SizingRequest
  readonly side: "long" | "short"
  readonly accountUsd: number
  readonly sizeUsd: number
  readonly liquidation: number | null
  readonly maxLeverage: number | null
}): ReadonlyArray<string> => {
  const { entry, leverage, stop, targets = [] } = request
  const sign = side === "long" ? 1 : -1
  const [neededLeverage, availableLeverage] = [sizeUsd / accountUsd, leverage ?? 1]
  return [
    ...(isLiquidatedFirst(side, liquidation, stop)
      ? ["Liquidation is closer than the stop: the position would be liquidated before the stop is reached."]
      : []),
    ...(neededLeverage > availableLeverage
      ? [
        `The size is ${neededLeverage.toPrecision(3)} times the account: more than ${
          leverage === undefined ? "the account" : "this leverage"
        } allows.`
      ]
      : []),
    ...(maxLeverage !== null && Math.max(neededLeverage, leverage ?? 0) > maxLeverage
      ? [`The leverage exceeds the profile's max_leverage of ${maxLeverage}.`]
      : []),
    ...(targets.some((target) => (target - entry) * sign <= 0)
      ? ["A target is on the losing side of the entry."]
      : [])
  ]
}

export const handler = handlerOf(
  getRiskSizing,
  Effect.map(Effect.service(JournalStore), (journal) =>
    Effect.fnUntraced(function*(request, { principal }) {
      const { account_usd, entry, leverage, risk_pct, stop, targets = [] } = request
      // If the account's value and the risk are given, the journal is not read.
      const profile = account_usd !== undefined && risk_pct !== undefined
        ? noProfile
        : (yield* journal.holdings(principal.account)).profile
      const accountUsd = account_usd ?? numberOrNull(profile.accountUsd)
      if (accountUsd === null) {
        return yield* new ToolFailure({
          code: "no_data",
          callerMessage: { key: "journal_no_account" },
          retryable: false
        })
      }
      const { riskPct, source } = chooseRisk(request, profile)
      const side = stop < entry ? "long" as const : "short" as const
      const { quantity, riskUsd, sizeUsd } = computeSizing({ accountUsd, riskPct, entry, stop })
      const liquidation = computeLiquidationPrice({ side, entry, leverage: leverage ?? null })
      return {
        side,
        account_usd: accountUsd,
        risk_pct: riskPct,
        risk_pct_source: source,
        size_usd: sizeUsd,
        quantity,
        risk_usd: riskUsd,
        stop_distance_pct: (100 * Math.abs(entry - stop)) / entry,
        margin_usd: leverage === undefined ? null : sizeUsd / leverage,
        r_multiples: targets.map((target) => ({ target, r: rMultiple({ side, entry, stop, exit: target }) })),
        liquidation_price: liquidation,
        liquidation_distance_pct: liquidation === null ? null : (100 * Math.abs(entry - liquidation)) / entry,
        warnings: makeWarnings({
          request,
          side,
          accountUsd,
          sizeUsd,
          liquidation,
          maxLeverage: numberOrNull(profile.maxLeverage)
        })
      }
    }))
)
