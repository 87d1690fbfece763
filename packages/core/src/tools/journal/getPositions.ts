import { Schema } from "effect"
import { noArguments } from "../../engine/tool/argument.ts"
import { notes } from "../../engine/tool/result.ts"
import { specify } from "../../engine/tool/specification.ts"
import { provenance } from "../../market/provenance.ts"
import { ProfileFields, ValuedPosition } from "./fields.ts"

export const getPositions = specify({
  name: "get_positions",
  area: "journal",
  scope: "read:personal",
  credits: 1,
  pure: true,
  summary:
    "The caller's own open positions with mark, profit and liquidation, and the risk profile. Of the market: get_positioning_history, get_options_positioning.",
  parameters: noArguments,
  result: Schema.Struct({
    positions: Schema.Array(ValuedPosition).annotate({ description: "Oldest first" }),
    risk_profile: ProfileFields,
    notes,
    ...provenance
  }),
  example: {}
})
