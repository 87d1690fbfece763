import { noArguments } from "../../engine/tool/argument.ts"
import { specify } from "../../engine/tool/specification.ts"
import { ProfileFields } from "./fields.ts"

export const getRiskProfile = specify({
  name: "get_risk_profile",
  area: "journal",
  scope: "read:personal",
  credits: 1,
  pure: true,
  summary: "The caller's account size and risk limits, as stored with set_risk_profile.",
  parameters: noArguments,
  result: ProfileFields,
  example: {}
})
