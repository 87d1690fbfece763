import { Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { decimal } from "../../personal/journal/decimal.ts"
import { toProfileRow } from "./rows.ts"
import { setRiskProfile } from "./setRiskProfile.ts"
import { makeJournalWriter, makeProfileVersionReader } from "./writeJournal.ts"

export const handler = handlerOf(
  setRiskProfile,
  Effect.map(makeJournalWriter, (write) =>
    Effect.fnUntraced(function*(profileArguments, context) {
      const { account_usd, max_leverage, max_open_risk_pct, risk_pct } = profileArguments
      const { profile } = yield* write(context, {
        _tag: "SetProfile",
        profile: {
          ...(account_usd === undefined ? {} : { accountUsd: decimal(account_usd) }),
          ...(risk_pct === undefined ? {} : { riskPct: decimal(risk_pct) }),
          ...(max_leverage === undefined ? {} : { maxLeverage: decimal(max_leverage) }),
          ...(max_open_risk_pct === undefined ? {} : { maxOpenRiskPct: decimal(max_open_risk_pct) })
        }
      }, "Profile")
      return { risk_profile: toProfileRow(profile) }
    })),
  makeProfileVersionReader
)
