import { dayMs } from "@tapeline/core/market"

/** The limits of the warnings `young` and `low_liquidity` in `TokenDetails`. */
const youngMs = 60 * dayMs
const lowLiquidityUsd = 250_000

/** The facts that warnings are derived from; null if unknown. */
export interface Judged {
  readonly mintable: boolean | null
  readonly freezable: boolean | null
  readonly liquidityUsd: number | null
  readonly ageMs: number | null
  readonly impostor: boolean | null
}

/** The warnings that apply, and those that cannot be checked. The concentration of holders can never be checked. */
export const warningsOf = ({ ageMs, freezable, impostor, liquidityUsd, mintable }: Judged) => {
  const all: Readonly<Record<string, boolean | null>> = {
    mintable,
    freezable,
    concentrated: null,
    low_liquidity: liquidityUsd === null ? null : liquidityUsd < lowLiquidityUsd,
    young: ageMs === null ? null : ageMs < youngMs,
    impostor
  }
  const named = (wanted: boolean | null) => Object.keys(all).filter((name) => all[name] === wanted)
  return { flags: named(true), unchecked: named(null) }
}
