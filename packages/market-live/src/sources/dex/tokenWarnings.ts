import { dayMs } from "@tapeline/core/market"

/** As `TokenDetails` names them. */
const youngMs = 60 * dayMs
const lowLiquidityUsd = 250_000

/** What is known of a token; null where nobody tells. */
export interface Judged {
  readonly mintable: boolean | null
  readonly freezable: boolean | null
  readonly liquidityUsd: number | null
  readonly ageMs: number | null
  readonly impostor: boolean | null
}

/** Warnings that hold, and those that nobody can tell: who holds how much of it among them, always. */
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
