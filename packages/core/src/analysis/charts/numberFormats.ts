/** Returns the number of decimals with which a price is shown. Prices of at least 100 won have no decimals. */
export const getPriceDecimals = (price: number, currency: "USD" | "KRW"): number => {
  if (currency === "KRW" && Math.abs(price) >= 100) return 0
  const size = Math.abs(price)
  if (!(size > 0)) return 2
  const magnitude = Math.floor(Math.log10(size))
  return magnitude >= 4 ? (magnitude >= 5 ? 0 : 1) : Math.min(14, Math.max(2, 4 - magnitude))
}

/** Formats a number with thousands separators, such as `71,300` or `-0.00000123`. */
export const formatGrouped = (value: number, decimals: number): string => {
  const text = value.toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
  // A value that rounds to zero has no sign.
  return /^-[0.,]+$/.test(text) ? text.slice(1) : text
}

const magnitudeUnits = [["T", 1e12], ["B", 1e9], ["M", 1e6], ["K", 1e3]] as const

/** Formats a number with three digits and a unit, such as `12.3B`. */
export const formatCompact = (value: number): string => {
  const size = Math.abs(value)
  const [unit, scale] = magnitudeUnits.find(([, threshold]) => size >= threshold * 0.9995) ?? ["", 1]
  const scaled = value / scale
  const decimals = Math.abs(scaled) >= 99.95 || size === 0 ? 0 : Math.abs(scaled) >= 9.995 ? 1 : 2
  return `${formatGrouped(scaled, decimals)}${unit}`
}

/** Formats a percentage with its sign, such as `+1.23%`. */
export const formatSignedPercent = (value: number, decimals = 2): string => {
  const text = formatGrouped(value, decimals)
  return `${value > 0 && /[1-9]/.test(text) ? "+" : ""}${text}%`
}
