import { Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { decimal } from "../../personal/journal/decimal.ts"
import { profileRow } from "./rows.ts"
import { setRiskProfile } from "./setRiskProfile.ts"
import { makeWriting } from "./writing.ts"

export const handler = handlerOf(
  setRiskProfile,
  Effect.map(makeWriting, (write) =>
    Effect.fnUntraced(function*(given, context) {
      const { account_usd, max_leverage, max_open_risk_pct, risk_pct } = given
      const { profile } = yield* write(context, {
        _tag: "SetProfile",
        profile: {
          ...(account_usd === undefined ? {} : { accountUsd: decimal(account_usd) }),
          ...(risk_pct === undefined ? {} : { riskPct: decimal(risk_pct) }),
          ...(max_leverage === undefined ? {} : { maxLeverage: decimal(max_leverage) }),
          ...(max_open_risk_pct === undefined ? {} : { maxOpenRiskPct: decimal(max_open_risk_pct) })
        }
      }, "Profile")
      return { risk_profile: profileRow(profile) }
    }))
)
