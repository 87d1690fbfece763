/** Prefixes for multiples of a coin. `1000PEPE`, `1MBABYDOGE` and `SHIB1000` are multiples; `1INCH` is a coin. */
const units: ReadonlyArray<readonly [prefix: string, unit: number]> = [
  ["1000000", 1_000_000],
  ["10000", 10_000],
  ["1000", 1_000],
  ["1M", 1_000_000]
]

/** The coin of a contract's asset, and the number of coins in one unit, because cheap coins trade by the thousand. */
export const coinUnitOf = (asset: string): { readonly coin: string; readonly unit: number } => {
  const behind = /^(\p{Lu}+)(1000+)$/u.exec(asset)
  if (behind !== null) return { coin: behind[1]!, unit: Number(behind[2]) }
  const found = units.find(([prefix]) => asset.startsWith(prefix) && /^[^\d]/u.test(asset.slice(prefix.length)))
  return found === undefined ? { coin: asset, unit: 1 } : { coin: asset.slice(found[0].length), unit: found[1] }
}
