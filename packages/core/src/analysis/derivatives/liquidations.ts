import { liquidationSkew } from "@tapeline/quant/derivatives"
import { formatInstant } from "../../engine/tool/result.ts"
import type { Liquidation, LiquidationTape } from "../../market/derivative.ts"
import { mergeGaps, omittedGapsNote } from "../../market/resultRows.ts"
import type { Interval } from "../../market/series.ts"

/** The minimum size of a liquidation that is listed individually, in USD. */
export const minListedUsd = 10_000

export const toLiquidationRow = ({ price, side, sizeUsd, time }: Liquidation) => ({
  time: formatInstant(time),
  side,
  price,
  size_usd: sizeUsd
})

export const toLiquidationTotals = (
  { count, longUsd, shortUsd }: Pick<LiquidationTape, "count" | "longUsd" | "shortUsd">
) => ({
  long_usd: longUsd,
  short_usd: shortUsd,
  count
})

export const getLiquidationSkew = (
  { longUsd, shortUsd }: Pick<LiquidationTape, "longUsd" | "shortUsd">
): number | null => liquidationSkew({ long: longUsd, short: shortUsd })

export const tapeNotes = (tape: LiquidationTape): ReadonlyArray<string> => [
  ...tape.coverage === "sampled" ? ["The venue reports only some of its liquidations: sums are lower bounds."] : [],
  ...omittedGapsNote(tape.gaps),
  ...tape.gaps.length > 0 ? ["Parts of the period were not recorded (gaps): sums are lower bounds."] : []
]

/**
 * Returns true if no data were recorded in the whole interval. The totals of an unrecorded interval are unknown, not 0.
 */
export const isUnrecorded = ({ gaps }: LiquidationTape, { from, to }: Interval): boolean =>
  mergeGaps(gaps).some((gap) => gap.from <= from && to <= gap.to)
