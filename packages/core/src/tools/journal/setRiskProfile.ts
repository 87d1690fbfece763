import { Schema } from "effect"
import { optional, requiresChange } from "../../engine/tool/argument.ts"
import { specify } from "../../engine/tool/specification.ts"
import { leverage, percentOfAccount, usd } from "./arguments.ts"
import { ProfileFields } from "./fields.ts"

export const setRiskProfile = specify({
  name: "set_risk_profile",
  area: "journal",
  scope: "write:personal",
  credits: 1,
  summary: "Stores account size and risk limits, for sizing and portfolio risk; omitted fields stay.",
  parameters: Schema.Struct({
    account_usd: optional(usd),
    risk_pct: optional(percentOfAccount),
    max_leverage: optional(leverage),
    max_open_risk_pct: optional(percentOfAccount)
  }).check(requiresChange(["account_usd", "risk_pct", "max_leverage", "max_open_risk_pct"])),
  result: Schema.Struct({ risk_profile: ProfileFields }),
  example: { account_usd: 10000, risk_pct: 1, max_leverage: 5, max_open_risk_pct: 6 }
})
