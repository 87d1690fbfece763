import { binaryEv } from "@tapeline/quant/probability"
import { Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { getBinaryEv } from "./getBinaryEv.ts"

export const handler = handlerOf(
  getBinaryEv,
  Effect.succeed(({ p_win, payout_pct }) => {
    const { breakEven, edge, ev, kelly } = binaryEv(p_win, payout_pct / 100)
    return Effect.succeed({ ev_per_unit: ev, break_even_win_rate: breakEven, edge, kelly_fraction: kelly })
  })
)
